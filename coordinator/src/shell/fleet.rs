//! `FleetService`: workers, and the coordinator itself.

use rookery_proto::v1::{self, fleet_service_server::FleetService};
use tonic::{Request, Response, Status};

use super::{check, handle::Handle, role::Role, status::expect_answer};
use crate::core::{self, Answer};

pub(super) struct Fleet {
    handle: Handle,
}

impl Fleet {
    pub(super) const fn new(handle: Handle) -> Self {
        Self { handle }
    }

    async fn workers(&self, request: core::Request) -> Result<Vec<v1::WorkerSummary>, Status> {
        expect_answer!(self.handle.answer(request).await?, Answer::Workers(workers) => workers)
    }
}

#[tonic::async_trait]
impl FleetService for Fleet {
    async fn list_workers(
        &self,
        _: Request<v1::ListWorkersRequest>,
    ) -> Result<Response<v1::ListWorkersResponse>, Status> {
        let workers = self.workers(core::Request::Workers).await?;
        Ok(Response::new(v1::ListWorkersResponse { workers }))
    }

    async fn drain_worker(
        &self,
        request: Request<v1::DrainWorkerRequest>,
    ) -> Result<Response<v1::DrainWorkerResponse>, Status> {
        let v1::DrainWorkerRequest { worker, change, grace_ms } = request.into_inner();
        check::name("worker", &worker)?;
        let name = worker.clone();
        let workers = self.workers(core::Request::Drain { worker, grace_ms, change: check::change(change)? }).await?;
        Ok(Response::new(v1::DrainWorkerResponse { worker: workers.into_iter().find(|w| w.worker == name) }))
    }

    async fn undrain_worker(
        &self,
        request: Request<v1::UndrainWorkerRequest>,
    ) -> Result<Response<v1::UndrainWorkerResponse>, Status> {
        let v1::UndrainWorkerRequest { worker, change } = request.into_inner();
        check::name("worker", &worker)?;
        let name = worker.clone();
        let workers = self.workers(core::Request::Undrain { worker, change: check::change(change)? }).await?;
        Ok(Response::new(v1::UndrainWorkerResponse { worker: workers.into_iter().find(|w| w.worker == name) }))
    }

    /// Answered by each coordinator for itself, standby or not.
    async fn get_coordinator(
        &self,
        _: Request<v1::GetCoordinatorRequest>,
    ) -> Result<Response<v1::GetCoordinatorResponse>, Status> {
        let role = self.handle.role().borrow().clone();
        let mut response = v1::GetCoordinatorResponse {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            store_id: self.handle.inner.store.id().to_owned(),
            ..v1::GetCoordinatorResponse::default()
        };
        match role {
            Role::Leading { since } => {
                response.leading = true;
                response.leader.clone_from(&self.handle.inner.advertise);
                response.leader_revision = since;
                let answer = self.handle.answer(core::Request::Alarms).await?;
                response.alarms = expect_answer!(answer, Answer::Alarms(alarms) => alarms)?;
            }
            Role::Standby { leader } => response.leader = leader.unwrap_or_default(),
            Role::Loading => response.alarms.push("the store is being loaded".to_owned()),
            Role::Barred(why) => response.alarms.push(format!("may not lead: {why}")),
            Role::Ended => response.alarms.push("shutting down".to_owned()),
        }
        Ok(Response::new(response))
    }
}
