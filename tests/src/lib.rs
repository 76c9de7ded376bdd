//! The system from outside: what its tests need to start around it.

pub mod etcd;
pub mod fleet;
pub mod judge;
pub mod net;
pub mod run;
pub mod tools;
