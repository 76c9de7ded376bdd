//! Feeds the core, carries out its effects, speaks gRPC.
//!
//! One task, the driver, owns the core: what workers say, what operators ask and what store and archive answer reach it
//! through bounded channels. Everything else here turns bytes into those words and back.

mod apply;
mod books;
mod check;
mod choice;
mod convert;
mod driver;
mod export;
mod fleet;
mod follow;
mod forward;
mod games;
mod handle;
mod http;
mod last_lines;
pub mod limits;
mod link;
mod lists;
mod machine;
mod metrics;
mod openings;
mod ratings;
mod record;
mod role;
mod season;
mod server;
mod sessions;
mod start;
mod status;
mod timing;
mod upload;
mod watchers;

pub use books::BookFault;
pub use handle::Handle;
pub use machine::{Clocks, Machine};
pub use metrics::MetricsError;
pub(crate) use role::ARCHIVE_KEY;
pub use role::Role;
pub use start::{Config, Coordinator, Running, StartError};
