//! Numbers for Prometheus.

use std::time::Duration;

use opentelemetry::{
    KeyValue,
    metrics::{Counter, Gauge, Histogram, MeterProvider},
};
use opentelemetry_sdk::metrics::SdkMeterProvider;
use prometheus::{Encoder, Registry, TextEncoder};

use crate::store::CommitError;

/// Bounds of the histograms, in seconds: from an embedded store on a fast disk to an etcd that is electing.
const SECONDS: [f64; 14] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0];

/// Why metrics cannot be set up.
#[derive(Debug, thiserror::Error)]
#[error("metrics: {0}")]
pub struct MetricsError(String);

/// What is seen of the coordinator at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) leading: bool,
    pub(super) on_record: u64,
    pub(super) running: u64,
    pub(super) due: u64,
    pub(super) events_open: u64,
    pub(super) questions: u64,
    pub(super) workers: u64,
    pub(super) slots_free: u64,
    pub(super) alarms: u64,
}

/// An instrument with what it shows.
type Shown = (Gauge<u64>, fn(&Seen) -> u64);

/// All instruments.
pub(super) struct Metrics {
    registry: Registry,
    // Its end would end the instruments.
    _provider: SdkMeterProvider,
    recorded: Counter<u64>,
    recording: Histogram<f64>,
    commit: Histogram<f64>,
    commit_errors: Counter<u64>,
    archive_errors: Counter<u64>,
    leader: Gauge<u64>,
    gauges: [Shown; 8],
}

impl Metrics {
    pub(super) fn new() -> Result<Self, MetricsError> {
        let registry = Registry::new();
        let exporter = opentelemetry_prometheus::exporter()
            .with_registry(registry.clone())
            .without_target_info()
            .scope_info_enabled(false)
            .build()
            .map_err(|error| MetricsError(error.to_string()))?;
        let provider = SdkMeterProvider::builder().with_reader(exporter).build();
        let meter = provider.meter("rookery");
        let counter = |name, what| meter.u64_counter(name).with_description(what).build();
        let seconds = |name, what| {
            meter.f64_histogram(name).with_unit("s").with_description(what).with_boundaries(SECONDS.to_vec()).build()
        };
        let gauge = |name, what| meter.u64_gauge(name).with_description(what).build();
        Ok(Self {
            recorded: counter("rookery_games_recorded", "Finished games that this process put on record"),
            recording: seconds("rookery_recording", "From the arrival of a finished game to its acknowledgement"),
            commit: seconds("rookery_commit", "Time that the store took for a transaction"),
            commit_errors: counter("rookery_commit_errors", "Transactions without a revision, by kind"),
            archive_errors: counter("rookery_archive_errors", "Writes that the archive did not take"),
            leader: gauge("rookery_leader", "1 while this process leads"),
            gauges: [
                (gauge("rookery_games_on_record", "Games on record that count, in events not sealed"), |s| s.on_record),
                (gauge("rookery_games_running", "Games in play"), |s| s.running),
                (gauge("rookery_games_due", "Games of running events neither on record nor in play"), |s| s.due),
                (gauge("rookery_events_open", "Events that are not finished"), |s| s.events_open),
                (gauge("rookery_questions", "Questions that wait for a person"), |s| s.questions),
                (gauge("rookery_workers", "Workers attached"), |s| s.workers),
                (gauge("rookery_slots_free", "Slots without a game on attached workers"), |s| s.slots_free),
                (gauge("rookery_alarms", "What is degraded"), |s| s.alarms),
            ],
            registry,
            _provider: provider,
        })
    }

    pub(super) fn recorded(&self, took: Duration) {
        self.recorded.add(1, &[]);
        self.recording.record(took.as_secs_f64(), &[]);
    }

    pub(super) fn committed(&self, took: Duration, error: Option<&CommitError>) {
        self.commit.record(took.as_secs_f64(), &[]);
        let Some(error) = error else { return };
        let kind = match error {
            CommitError::Conflict(_) => "conflict",
            CommitError::Deposed => "deposed",
            CommitError::Unknown(_) => "unknown",
            CommitError::Unavailable(_) => "unavailable",
            CommitError::Full => "full",
            CommitError::TooLarge(_) => "too-large",
        };
        self.commit_errors.add(1, &[KeyValue::new("kind", kind)]);
    }

    pub(super) fn archive_failed(&self) {
        self.archive_errors.add(1, &[]);
    }

    /// All numbers in Prometheus' text form.
    pub(super) fn text(&self, seen: &Seen) -> Result<Vec<u8>, MetricsError> {
        self.leader.record(u64::from(seen.leading), &[]);
        for (gauge, read) in &self.gauges {
            gauge.record(read(seen), &[]);
        }
        let mut text = Vec::new();
        TextEncoder::new()
            .encode(&self.registry.gather(), &mut text)
            .map_err(|error| MetricsError(error.to_string()))?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_is_told() {
        let metrics = Metrics::new().unwrap();
        metrics.recorded(Duration::from_millis(3));
        metrics.committed(Duration::from_millis(1), Some(&CommitError::Full));
        metrics.archive_failed();
        let seen = Seen { leading: true, due: 12, workers: 3, ..Seen::default() };
        let text = String::from_utf8(metrics.text(&seen).unwrap()).unwrap();
        for line in [
            "rookery_games_recorded_total 1",
            "rookery_recording_seconds_bucket{le=\"0.005\"} 1",
            "rookery_commit_seconds_count 1",
            "rookery_commit_errors_total{kind=\"full\"} 1",
            "rookery_archive_errors_total 1",
            "rookery_leader 1",
            "rookery_games_due 12",
            "rookery_workers 3",
        ] {
            assert!(text.lines().any(|l| l == line), "`{line}` is missing in\n{text}");
        }
    }
}
