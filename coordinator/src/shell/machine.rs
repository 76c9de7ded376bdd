//! The seam between the shell and the core.

use crate::core::{Effect, Input, Now};

/// A state machine without I/O: the core, or a test's own.
pub trait Machine: Send + 'static {
    /// Takes one input and says what is to be done outside, in order.
    fn handle(&mut self, now: Now, input: Input) -> Vec<Effect>;

    /// When it wants to be told the time next, on the scale of [`Now::mono_ns`]; `None`: the shell chooses.
    fn wake_at(&self) -> Option<u64> {
        None
    }
}

/// Reads the clocks.
#[derive(Debug, Clone, Copy)]
pub struct Clocks {
    start: tokio::time::Instant,
}

impl Clocks {
    /// The rising clock begins now.
    #[must_use]
    pub fn start() -> Self {
        Self { start: tokio::time::Instant::now() }
    }

    /// Both clocks.
    #[must_use]
    pub fn now(&self) -> Now {
        let unix = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Now { mono_ns: self.start.elapsed().as_nanos() as u64, unix_ms: unix.as_millis() as u64 }
    }

    /// The moment at which the rising clock shows `mono_ns`.
    #[must_use]
    pub fn instant(&self, mono_ns: u64) -> tokio::time::Instant {
        self.start + std::time::Duration::from_nanos(mono_ns)
    }
}

impl Machine for crate::core::Core {
    fn handle(&mut self, now: Now, input: Input) -> Vec<Effect> {
        Self::handle(self, now, input)
    }

    fn wake_at(&self) -> Option<u64> {
        Self::wake_at(self)
    }
}
