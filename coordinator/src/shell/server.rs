//! The gRPC server: all services, reflection and health.

use std::sync::Arc;

use rookery_proto::{
    DESCRIPTOR_SET, MESSAGE_LIMIT,
    v1::{
        fleet_service_server::FleetServiceServer, game_service_server::GameServiceServer,
        list_service_server::ListServiceServer, season_service_server::SeasonServiceServer,
        worker_service_server::WorkerServiceServer,
    },
};
use tokio::{
    net::TcpListener,
    sync::{mpsc, watch},
};
use tonic::{
    service::Routes,
    transport::{Server, server::TcpIncoming},
};
use tonic_health::{ServingStatus, server::HealthReporter};

use super::{
    driver::FromWorker,
    fleet::Fleet,
    forward::{Forward, forward},
    games::Games,
    handle::Handle,
    limits,
    link::Link,
    lists::Lists,
    role::Role,
    season::Seasons,
    start::StartError,
};

/// Names under which health is told; the empty one is the whole server.
const SERVICES: [&str; 6] = [
    "",
    "rookery.v1.WorkerService",
    "rookery.v1.SeasonService",
    "rookery.v1.GameService",
    "rookery.v1.ListService",
    "rookery.v1.FleetService",
];

/// All services, ready to be served.
pub(super) struct Services {
    routes: Routes,
    health: HealthReporter,
}

impl Services {
    pub(super) fn new(handle: &Handle, said: mpsc::Sender<FromWorker>) -> Result<Self, StartError> {
        let reflection = || {
            tonic_reflection::server::Builder::configure()
                .register_encoded_file_descriptor_set(DESCRIPTOR_SET)
                .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        };
        let wrong = |error: tonic_reflection::server::Error| StartError::Reflection(error.to_string());
        let v1 = reflection().build_v1().map_err(wrong)?;
        let v1alpha = reflection().build_v1alpha().map_err(wrong)?;
        let (health, health_service) = tonic_health::server::health_reporter();
        macro_rules! limited {
            ($server:ident, $service:expr) => {
                $server::new($service).max_decoding_message_size(MESSAGE_LIMIT).max_encoding_message_size(MESSAGE_LIMIT)
            };
        }
        let routes = Routes::new(limited!(WorkerServiceServer, Link::new(handle.clone(), said)))
            .add_service(limited!(SeasonServiceServer, Seasons::new(handle.clone())))
            .add_service(limited!(ListServiceServer, Lists::new(handle.clone())))
            .add_service(limited!(GameServiceServer, Games::new(handle.clone())))
            .add_service(limited!(FleetServiceServer, Fleet::new(handle.clone())))
            .add_service(health_service)
            .add_service(v1)
            .add_service(v1alpha);
        let state = Arc::new(Forward::new(handle.clone()));
        let router = routes.into_axum_router().layer(axum::middleware::from_fn_with_state(state, forward));
        Ok(Self { routes: Routes::from(router), health })
    }

    /// Serves until `stop`, and a little longer for what has begun.
    pub(super) async fn serve(self, listener: TcpListener, handle: Handle, mut stop: watch::Receiver<bool>) {
        let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
        let told = tokio::spawn(tell_health(self.health, handle.role()));
        let mut stopped = stop.clone();
        let serving = Server::builder()
            .http2_keepalive_interval(Some(limits::KEEPALIVE_INTERVAL))
            .http2_keepalive_timeout(Some(limits::KEEPALIVE_TIMEOUT))
            .add_routes(self.routes)
            .serve_with_incoming_shutdown(incoming, async move {
                // The sender's end is as good as its word.
                let _ = stopped.wait_for(|stop| *stop).await;
            });
        let lingered = async {
            let _ = stop.wait_for(|stop| *stop).await;
            tokio::time::sleep(limits::DRAIN + limits::LINGER).await;
        };
        tokio::select! {
            result = serving => if let Err(error) = result {
                tracing::error!(%error, "the gRPC server ended");
            },
            () = lingered => {}
        }
        told.abort();
    }
}

/// A leader and a standby that knows its leader serve; what is degraded stands in the alarms.
async fn tell_health(health: HealthReporter, mut role: watch::Receiver<Role>) {
    loop {
        let serving = matches!(*role.borrow_and_update(), Role::Leading { .. } | Role::Standby { leader: Some(_) });
        let status = if serving { ServingStatus::Serving } else { ServingStatus::NotServing };
        for service in SERVICES {
            health.set_service_status(service, status).await;
        }
        if role.changed().await.is_err() {
            return;
        }
    }
}
