//! Words for the history.

use rookery_coordinator::store::{Op, Txn};
use rookery_proto::v1::{self, attach_request::Message as Up, attach_response::Message as Down};

fn game(id: Option<&v1::GameId>) -> String {
    id.map_or_else(|| "-".to_owned(), |id| format!("{}/{}/{}", id.pair, id.game, id.take))
}

fn key(key: &str) -> String {
    key.strip_prefix("/rookery/v1/").unwrap_or(key).to_owned()
}

pub(crate) fn txn(txn: &Txn) -> String {
    let op = |op: &Op| match op {
        Op::Put(put, value) => {
            let value =
                if put.ends_with("/meta") { String::new() } else { String::from_utf8_lossy(value).into_owned() };
            format!("+{} {}", key(put), value.chars().take(160).collect::<String>())
        }
        Op::Delete(gone) => format!("-{}", key(gone)),
        Op::DeleteRange(from, _) => format!("-{}*", key(from)),
    };
    txn.ops.iter().map(op).collect::<Vec<_>>().join("; ")
}

pub(crate) fn up(message: &Up) -> String {
    match message {
        Up::Hello(hello) => format!("hello {} boot {}", hello.worker, hello.boot),
        Up::Beat(beat) => {
            let state =
                |s: &v1::AttemptState| format!("{}:{}@{} {:?}", s.attempt, game(s.game.as_ref()), s.ply, s.phase());
            let list = beat.attempts.iter().map(state).collect::<Vec<_>>();
            format!("beat {} [{}]", beat.last_order, list.join(", "))
        }
        Up::Progress(p) => {
            let (first, n) = (p.first_ply, p.plies.len());
            format!("progress {} {} {first}+{n}", p.attempt, game(p.game.as_ref()))
        }
        Up::Finished(finished) => {
            format!("finished {} {}", finished.attempt, game(finished.record.as_ref().and_then(|r| r.id.as_ref())))
        }
        Up::HandedBack(b) => {
            format!("handed back {} {} {:?} {} plies", b.attempt, game(b.game.as_ref()), b.reason(), b.plies.len())
        }
        Up::Refused(r) => format!("refused {} {:?} {}", r.attempt, r.reason(), r.detail),
        Up::Probed(p) => format!("probed {} {}", p.probe, p.known),
    }
}

pub(crate) fn down(response: &v1::AttachResponse) -> String {
    let what = match &response.message {
        Some(Down::Welcome(_)) => "welcome".to_owned(),
        Some(Down::Rejected(r)) => format!("rejected {:?} {}", r.reason(), r.detail),
        Some(Down::Play(play)) => {
            let order = |order: &v1::GameOrder| {
                let from =
                    order.resume.as_ref().map_or_else(String::new, |point| format!(" from {}", point.plies.len()));
                format!("{}{from}", game(order.id.as_ref()))
            };
            format!("play {} {}", play.attempt, play.games.iter().map(order).collect::<Vec<_>>().join(", "))
        }
        Some(Down::Cancel(c)) => format!("cancel {} back {} {}", c.attempt, c.hand_back, c.reason),
        Some(Down::Drain(d)) => format!("drain undo {}", d.undo),
        Some(Down::Probe(p)) => format!("probe {}", p.probe),
        Some(Down::Recorded(r)) => format!("recorded {} {} on {}", r.attempt, game(r.game.as_ref()), r.go_on),
        Some(Down::Discarded(d)) => {
            format!("discarded {} {} {:?} {}", d.attempt, game(d.game.as_ref()), d.reason(), d.detail)
        }
        Some(Down::Follow(_)) => "follow".to_owned(),
        None => "nothing".to_owned(),
    };
    format!("#{} by {} {what}", response.order, response.leader_revision)
}
