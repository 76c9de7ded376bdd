//! What tests share.

use std::path::PathBuf;

/// The folder of shared data beside the project, or wherever `ROOKERY_SHARED` says; `None`, and a word about it, where
/// this part of it is absent.
pub(crate) fn shared(part: &str) -> Option<PathBuf> {
    let root = std::env::var_os("ROOKERY_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    let path = root.join(part);
    if !path.exists() {
        eprintln!("SKIP: no {}", path.display());
        return None;
    }
    Some(path)
}
