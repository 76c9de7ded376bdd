//! Health and metrics over plain HTTP, on a port of their own.

use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use rookery_proto::v1;
use tokio::time::timeout;

use super::{handle::Handle, limits, metrics::Seen, role::Role};
use crate::core::{Answer, Request};

/// `/healthz`: the process works. `/readyz`: it serves, as leader or as standby. `/metrics`: Prometheus.
pub(super) fn router(handle: Handle) -> Router {
    Router::new()
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .with_state(handle)
}

async fn healthz(State(handle): State<Handle>) -> (StatusCode, &'static str) {
    let ended = *handle.inner.role.borrow() == Role::Ended || handle.inner.asks.is_closed();
    if ended { (StatusCode::SERVICE_UNAVAILABLE, "ended\n") } else { (StatusCode::OK, "ok\n") }
}

async fn readyz(State(handle): State<Handle>) -> (StatusCode, String) {
    let role = handle.inner.role.borrow().clone();
    match role {
        Role::Leading { since } => {
            let alarms = alarms(&handle).await;
            let lines: String = alarms.iter().map(|alarm| format!("alarm: {alarm}\n")).collect();
            (StatusCode::OK, format!("leading since revision {since}\n{lines}"))
        }
        Role::Standby { leader: Some(leader) } => (StatusCode::OK, format!("standby; {leader} leads\n")),
        Role::Standby { leader: None } => (StatusCode::SERVICE_UNAVAILABLE, "no leader is known\n".to_owned()),
        Role::Loading => (StatusCode::SERVICE_UNAVAILABLE, "the store is being loaded\n".to_owned()),
        Role::Barred(why) => (StatusCode::SERVICE_UNAVAILABLE, format!("may not lead: {why}\n")),
        Role::Ended => (StatusCode::SERVICE_UNAVAILABLE, "shutting down\n".to_owned()),
    }
}

async fn metrics(State(handle): State<Handle>) -> Response {
    let seen = look(&handle).await;
    match handle.inner.metrics.text(&seen) {
        Ok(text) => ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

async fn alarms(handle: &Handle) -> Vec<String> {
    match ask(handle, Request::Alarms).await {
        Some(Answer::Alarms(alarms)) => alarms,
        _ => vec!["the core does not answer".to_owned()],
    }
}

/// A standby's numbers are the leader's to tell.
async fn look(handle: &Handle) -> Seen {
    let mut seen = Seen::default();
    if !matches!(*handle.inner.role.borrow(), Role::Leading { .. }) {
        return seen;
    }
    seen.leading = true;
    if let Some(Answer::Events(events)) = ask(handle, Request::Events).await {
        for event in &events {
            seen.on_record += event.games_done;
            seen.running += event.games_running;
            seen.questions += event.questions.len() as u64;
            let open =
                matches!(event.phase(), v1::EventPhase::Running | v1::EventPhase::Paused | v1::EventPhase::Asking);
            seen.events_open += u64::from(open);
            if event.phase() == v1::EventPhase::Running {
                seen.due += event.games_total.saturating_sub(event.games_done + event.games_running);
            }
        }
    }
    if let Some(Answer::Workers(workers)) = ask(handle, Request::Workers).await {
        let attached = workers.iter().filter(|worker| worker.attached);
        for worker in attached {
            seen.workers += 1;
            seen.slots_free += worker.free.iter().map(|&free| u64::from(free)).sum::<u64>();
        }
    }
    seen.alarms = alarms(handle).await.len() as u64;
    seen
}

async fn ask(handle: &Handle, request: Request) -> Option<Answer> {
    timeout(limits::SCRAPE_DEADLINE, handle.ask(request)).await.ok()?.ok()
}
