//! The system from outside: what its tests need to start around it.

pub mod etcd;
