//! The contract on the wire: the types, clients and servers of `rookery.v1`, and its descriptor set.
//!
//! What each message and field means, with units, stands in the `.proto` files beside this crate.

/// `rookery.v1`.
#[expect(missing_docs, reason = "generated; the contract is documented in the .proto files")]
#[allow(clippy::all, clippy::disallowed_types, reason = "generated")]
pub mod v1 {
    tonic::include_proto!("rookery.v1");
}

/// The encoded `FileDescriptorSet` of `rookery.v1`, for reflection.
pub const DESCRIPTOR_SET: &[u8] = tonic::include_file_descriptor_set!("rookery_v1");

/// The largest message in bytes that either side sends or takes.
pub const MESSAGE_LIMIT: usize = 4 * 1024 * 1024;
