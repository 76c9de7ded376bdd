//! What a worker's stream may do, and what becomes of it.

use rookery_coordinator::store::Leadership;
use rookery_proto::v1::{self, attach_request, attach_response};

use crate::support::{Bench, Worker, hello};

#[tokio::test]
async fn a_worker_is_welcomed_heard_and_missed() {
    let mut bench = Bench::leading().await;
    let mut worker = Worker::attach(bench.channel().await, hello("w1")).await;
    worker.welcomed().await;
    worker.tell(attach_request::Message::Beat(v1::Beat { last_order: 3, ..Default::default() })).await;
    bench.hears("beat 3").await;
    drop(worker);
    bench.hears("gone").await;
}

#[tokio::test]
async fn what_begins_with_no_hello_is_refused() {
    let bench = Bench::leading().await;
    let mut worker = Worker::open(bench.channel().await).await;
    worker.tell(attach_request::Message::Beat(v1::Beat::default())).await;
    let rejected = worker.rejected().await;
    assert_eq!(rejected.reason(), v1::RejectReason::Invalid);
    assert_eq!(rejected.detail, "the first message is not a hello");
    worker.ended().await;
}

#[tokio::test]
async fn a_hello_that_makes_no_sense_is_refused() {
    let mut bench = Bench::leading().await;
    let strange = v1::Hello { calibration: f64::NAN, ..hello("w1") };
    let mut worker = Worker::attach(bench.channel().await, strange).await;
    let rejected = worker.rejected().await;
    assert_eq!(rejected.reason(), v1::RejectReason::Invalid);
    assert!(rejected.detail.contains("`calibration`"), "{}", rejected.detail);
    worker.ended().await;
    let heard = bench.heard.try_recv();
    assert!(heard.is_err(), "the core heard `{heard:?}`");
}

#[tokio::test]
async fn a_second_hello_ends_the_stream() {
    let mut bench = Bench::leading().await;
    let mut worker = Worker::attach(bench.channel().await, hello("w1")).await;
    worker.welcomed().await;
    worker.tell(attach_request::Message::Hello(hello("w2"))).await;
    assert_eq!(worker.rejected().await.detail, "a second hello on one stream");
    worker.ended().await;
    bench.hears("gone").await;
}

#[tokio::test]
async fn a_message_above_the_limit_ends_the_stream_alone() {
    let mut bench = Bench::leading().await;
    let channel = bench.channel().await;
    let mut large = Worker::attach(channel.clone(), hello("large")).await;
    large.welcomed().await;
    bench.hears("attached large").await;
    let evidence = "x".repeat(rookery_proto::MESSAGE_LIMIT + 1);
    large.tell(attach_request::Message::HandedBack(v1::HandedBack { evidence, ..Default::default() })).await;
    let rejected = large.rejected().await;
    assert_eq!(rejected.reason(), v1::RejectReason::Invalid);
    bench.hears("gone").await;
    let mut other = Worker::attach(channel, hello("other")).await;
    other.welcomed().await;
}

#[tokio::test]
async fn a_worker_that_does_not_read_is_closed() {
    let mut bench = Bench::leading().await;
    let mut worker = Worker::attach(bench.channel().await, hello("deaf")).await;
    worker.welcomed().await;
    worker.tell(attach_request::Message::Refused(v1::Refused::default())).await;
    // The core sends more at once than a queue holds: nobody waits for the worker.
    bench.hears("gone").await;
    worker.ended().await;
}

#[tokio::test]
async fn the_core_ends_a_stream() {
    let bench = Bench::leading().await;
    let mut worker = Worker::attach(bench.channel().await, hello("w1")).await;
    worker.welcomed().await;
    worker.tell(attach_request::Message::Probed(v1::Probed::default())).await;
    worker.ended().await;
}

#[tokio::test]
async fn a_finished_game_goes_to_the_archive_then_the_store_then_back() {
    let mut bench = Bench::leading().await;
    let mut worker = Worker::attach(bench.channel().await, hello("w1")).await;
    worker.welcomed().await;
    let id = v1::GameId { event_uid: "u".to_owned(), pair: "p".to_owned(), game: 1, take: 1 };
    let record = v1::GameRecord { id: Some(id.clone()), ..Default::default() };
    worker.tell(attach_request::Message::Finished(v1::Finished { attempt: 5, record: Some(record) })).await;
    bench.hears("archived true").await;
    bench.hears("committed true").await;
    match worker.hears().await {
        Some(attach_response::Message::Recorded(recorded)) => {
            assert_eq!((recorded.attempt, recorded.game), (5, Some(id)));
        }
        other => panic!("not recorded: {other:?}"),
    }
}

#[tokio::test]
async fn a_deposed_leader_sends_its_workers_on() {
    let mut bench = Bench::leading().await;
    let mut worker = Worker::attach(bench.channel().await, hello("w1")).await;
    worker.welcomed().await;
    bench.store.leadership.send_replace(Leadership::Standby { leader: Some("http://other:7700".to_owned()) });
    let rejected = worker.rejected().await;
    assert_eq!((rejected.reason(), rejected.leader.as_str()), (v1::RejectReason::NotLeader, "http://other:7700"));
    worker.ended().await;
    bench.hears("deposed").await;
    let mut late = Worker::attach(bench.channel().await, hello("w2")).await;
    assert_eq!(late.rejected().await.leader, "http://other:7700");
    bench.store.leadership.send_replace(Leadership::Leading { since: 9 });
    bench.hears("lead 9").await;
    Worker::attach(bench.channel().await, hello("w1")).await.welcomed().await;
}
