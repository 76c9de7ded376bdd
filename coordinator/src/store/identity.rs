//! Who a store is: the value of [`STORE_KEY`].

use serde::{Deserialize, Serialize};

use super::{SCHEMA, STORE_KEY, StoreError};

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Identity {
    pub(super) id: String,
    pub(super) schema: u32,
}

impl Identity {
    pub(super) fn new() -> Self {
        Self { id: uuid::Uuid::new_v4().to_string(), schema: SCHEMA }
    }

    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, StoreError> {
        serde_json::to_vec(self).map_err(|e| StoreError::Damaged(e.to_string()))
    }

    /// Reads it; `place` is for the message. A newer schema is refused.
    pub(super) fn parse(bytes: &[u8], place: &str) -> Result<Self, StoreError> {
        let known: Self = serde_json::from_slice(bytes)
            .map_err(|e| StoreError::Damaged(format!("{place}: {STORE_KEY} is not a store's id: {e}")))?;
        if known.schema > SCHEMA {
            return Err(StoreError::Refused(format!(
                "{place} is of schema {}, newer than {SCHEMA}, which this version writes",
                known.schema
            )));
        }
        Ok(known)
    }
}
