//! A standby passes operators' calls on to the leader, once.

use axum::{
    extract::{Request, State},
    http::{HeaderValue, uri::PathAndQuery},
    middleware::Next,
    response::Response,
};
use tokio::sync::Mutex;
use tonic::{
    Status,
    codegen::Service,
    transport::{Channel, Endpoint},
};

use super::{handle::Handle, limits, role::Role};

/// Marks a call that was passed on: it is not passed on again.
const FORWARDED: &str = "rookery-forwarded";

/// Services whose calls only the leader can answer.
const PASSED_ON: [&str; 3] = ["/rookery.v1.SeasonService/", "/rookery.v1.GameService/", "/rookery.v1.ListService/"];

/// Of the fleet's service, too, but for what each coordinator says of itself.
const FLEET: &str = "/rookery.v1.FleetService/";
const OF_ITSELF: &str = "/rookery.v1.FleetService/GetCoordinator";

/// The connection to the leader, kept while it leads.
pub(super) struct Forward {
    handle: Handle,
    channel: Mutex<Option<(String, Channel)>>,
}

impl Forward {
    pub(super) fn new(handle: Handle) -> Self {
        Self { handle, channel: Mutex::default() }
    }

    /// The leader to pass this call on to.
    fn leader(&self, request: &Request) -> Option<Result<String, Status>> {
        let path = request.uri().path();
        let operators =
            PASSED_ON.iter().any(|service| path.starts_with(service)) || (path.starts_with(FLEET) && path != OF_ITSELF);
        if !operators {
            return None;
        }
        let role = self.handle.inner.role.borrow().clone();
        let Role::Standby { leader: Some(leader) } = role else { return None };
        if request.headers().contains_key(FORWARDED) {
            // Two coordinators that each take the other for the leader.
            return Some(Err(Status::unavailable(format!("this coordinator is a standby; {leader} leads"))));
        }
        Some(Ok(leader))
    }

    async fn channel(&self, leader: &str) -> Result<Channel, Status> {
        let mut kept = self.channel.lock().await;
        if let Some((address, channel)) = kept.as_ref()
            && address == leader
        {
            return Ok(channel.clone());
        }
        let url = if leader.contains("://") { leader.to_owned() } else { format!("http://{leader}") };
        let wrong = |error| Status::unavailable(format!("the leader's address `{leader}` makes no sense: {error}"));
        let endpoint = Endpoint::from_shared(url).map_err(wrong)?;
        let channel = endpoint
            .connect_timeout(limits::CONNECT)
            .http2_keep_alive_interval(limits::KEEPALIVE_INTERVAL)
            .keep_alive_timeout(limits::KEEPALIVE_TIMEOUT)
            .keep_alive_while_idle(true)
            .tcp_nodelay(true)
            .connect_lazy();
        *kept = Some((leader.to_owned(), channel.clone()));
        Ok(channel)
    }

    async fn pass_on(&self, leader: &str, request: Request) -> Result<Response, Status> {
        let mut channel = self.channel(leader).await?;
        let (mut parts, body) = request.into_parts();
        // The channel knows the leader's origin; only the method goes along.
        let path = parts.uri.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"));
        parts.uri = path.into();
        parts.headers.remove("host");
        parts.headers.insert(FORWARDED, HeaderValue::from_static("1"));
        let request = axum::http::Request::from_parts(parts, tonic::body::Body::new(body));
        let away = |error| Status::unavailable(format!("the leader at {leader} does not answer: {error}"));
        std::future::poll_fn(|cx| channel.poll_ready(cx)).await.map_err(away)?;
        let response = channel.call(request).await.map_err(away)?;
        Ok(response.map(axum::body::Body::new))
    }
}

/// Around all services: passes a call on, or lets it through.
pub(super) async fn forward(State(forward): State<std::sync::Arc<Forward>>, request: Request, next: Next) -> Response {
    let passed = match forward.leader(&request) {
        None => return next.run(request).await,
        Some(Ok(leader)) => forward.pass_on(&leader, request).await,
        Some(Err(status)) => Err(status),
    };
    passed.unwrap_or_else(|status| status.into_http::<tonic::body::Body>().map(axum::body::Body::new))
}
