//! Files that specs name, in pieces.

use bytes::{Bytes, BytesMut};
use rookery_proto::v1;
use tokio::time::timeout;
use tonic::{Status, Streaming};

use super::{
    check,
    handle::{Handle, too_large},
    limits,
};

/// Takes one file whole. Few at once, as each is held in memory until its digest is known.
pub(super) async fn take(
    handle: &Handle,
    mut pieces: Streaming<v1::UploadFileRequest>,
) -> Result<v1::UploadFileResponse, Status> {
    let permit = handle.inner.uploads.acquire().await;
    let _permit = permit.map_err(|_| Status::unavailable("the coordinator is shutting down"))?;
    let mut content = BytesMut::new();
    loop {
        let next = timeout(limits::PIECE_DEADLINE, pieces.message()).await;
        let next = next.map_err(|_| Status::deadline_exceeded("the next piece did not come in time"))??;
        let Some(v1::UploadFileRequest { name, content: piece }) = next else { break };
        check::bounded("name", &name, limits::PATH)?;
        if piece.len() > limits::PIECE {
            return Err(Status::invalid_argument(format!(
                "a piece has {} bytes; at most {}",
                piece.len(),
                limits::PIECE
            )));
        }
        if content.len() + piece.len() > limits::FILE {
            return Err(Status::invalid_argument(too_large(content.len() + piece.len())));
        }
        content.extend_from_slice(&piece);
    }
    let content: Bytes = content.freeze();
    let size_bytes = content.len() as u64;
    let digest = handle.put_file(content).await.map_err(|denied| handle.status(denied))?;
    Ok(v1::UploadFileResponse { digest, size_bytes })
}
