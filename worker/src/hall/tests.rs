use rookery_proto::v1::{
    AttachResponse, Cancel, DiscardReason, Discarded, Drain, Finished, GameId, GameOrder, GameRecord, GameSetup, Play,
    Recorded, RefusalReason, SlotNeeds, Welcome, attach_response::Message as Order,
};

use super::*;

fn id(pair: &str, game: u32) -> GameId {
    GameId { event_uid: "event".to_owned(), pair: pair.to_owned(), game, take: 1 }
}

fn order(number: u64, message: Order) -> Input {
    Input::Said(Box::new(AttachResponse { order: number, leader_revision: 10, message: Some(message) }))
}

fn play(attempt: i64, pair: &str, ask_between: bool) -> Play {
    let game = |n| GameOrder { id: Some(id(pair, n)), setup: Some(GameSetup::default()), resume: None };
    let needs = Some(SlotNeeds { cores: 1, ..SlotNeeds::default() });
    Play { attempt, games: vec![game(1), game(2)], needs, ask_between, ..Play::default() }
}

fn hall(slots: usize) -> Hall {
    let shape = SlotShape { class: 0, cores: 1, memory_bytes: 1, gpus: 0 };
    let mut hall = Hall::new(vec![shape; slots], BTreeMap::new(), String::new());
    let welcome = Welcome { store_id: "store".to_owned(), ..Welcome::default() };
    let said = words(&hall.handle(order(0, Order::Welcome(welcome))));
    assert_eq!(said, ["beat free [".to_owned() + &slots.to_string() + "] holds []"]);
    hall
}

fn finished(attempt: i64, pair: &str, game: u32) -> End {
    let record = GameRecord { id: Some(id(pair, game)), ..GameRecord::default() };
    End::Finished(Box::new(Finished { attempt, record: Some(record) }))
}

/// Effects as words: all of them, so that a test also asserts that nothing else was done.
fn words(effects: &[Effect]) -> Vec<String> {
    let game = |id: &Option<GameId>| id.as_ref().map_or_else(String::new, |id| format!("{}/{}", id.pair, id.game));
    effects
        .iter()
        .map(|effect| match effect {
            Effect::Start { slot, game: order, .. } => format!("start {} on {slot}", game(&order.id)),
            Effect::Interrupt { slot, .. } => format!("interrupt {slot}"),
            Effect::Keep(key, _) => format!("keep {}/{}", key.pair, key.game),
            Effect::Forget(key) => format!("forget {}/{}", key.pair, key.game),
            Effect::Exit => "exit".to_owned(),
            Effect::WakeAfter(ms) => format!("wake after {ms}"),
            Effect::Send(message) => match message.as_ref() {
                Message::Finished(f) => format!("say finished {}", game(&f.record.as_ref().unwrap().id)),
                Message::HandedBack(b) => format!("say handed back {} {}", game(&b.game), b.reason().as_str_name()),
                Message::Refused(r) => format!("say refused {}", r.reason().as_str_name()),
                Message::Beat(beat) => {
                    let holds: Vec<String> = beat.attempts.iter().map(|a| game(&a.game)).collect();
                    format!("beat free {:?} holds [{}]", beat.free, holds.join(" "))
                }
                other => format!("say {other:?}"),
            },
            other => format!("{other:?}"),
        })
        .collect()
}

#[test]
fn a_pair_is_played_on_one_slot_and_kept_until_it_is_acknowledged() {
    let mut hall = hall(2);
    assert_eq!(words(&hall.handle(order(1, Order::Play(play(7, "p", false))))), ["start p/1 on 0"]);
    let said = words(&hall.handle(Input::Ended { slot: 0, end: finished(7, "p", 1) }));
    assert_eq!(said, ["start p/2 on 0", "keep p/1", "say finished p/1"]);
    let said = words(&hall.handle(Input::Ended { slot: 0, end: finished(7, "p", 2) }));
    assert_eq!(said, ["keep p/2", "say finished p/2"]);
    assert_eq!(words(&hall.handle(Input::Beat)), ["beat free [2] holds [p/1 p/2]"]);
    let recorded = |game| Order::Recorded(Recorded { attempt: 7, game: Some(id("p", game)), go_on: true });
    assert_eq!(words(&hall.handle(order(2, recorded(1)))), ["forget p/1"]);
    assert_eq!(words(&hall.handle(order(3, recorded(2)))), ["forget p/2"]);
    assert_eq!(words(&hall.handle(order(4, recorded(2)))), [""; 0]);
    assert!(hall.is_empty());
}

#[test]
fn what_was_not_acknowledged_is_said_again() {
    let mut hall = hall(1);
    hall.handle(order(1, Order::Play(play(7, "p", false))));
    assert_eq!(words(&hall.handle(Input::Disconnected)), [""; 0]);
    let said = words(&hall.handle(Input::Ended { slot: 0, end: finished(7, "p", 1) }));
    assert_eq!(said, ["start p/2 on 0", "keep p/1"], "without a stream the game goes on");
    let welcome = Welcome { store_id: "store".to_owned(), ..Welcome::default() };
    let said = words(&hall.handle(order(0, Order::Welcome(welcome))));
    assert_eq!(said, ["beat free [0] holds [p/2 p/1]", "say finished p/1"]);
}

#[test]
fn one_assignment_waits_for_each_slot_and_no_more() {
    let mut hall = hall(1);
    assert_eq!(words(&hall.handle(order(1, Order::Play(play(1, "a", false))))), ["start a/1 on 0"]);
    assert_eq!(words(&hall.handle(order(2, Order::Play(play(2, "b", false))))), [""; 0]);
    assert_eq!(words(&hall.handle(order(2, Order::Play(play(2, "b", false))))), [""; 0], "said twice");
    let said = words(&hall.handle(order(3, Order::Play(play(3, "c", false)))));
    assert_eq!(said, ["say refused REFUSAL_REASON_NO_CREDIT"]);
    hall.handle(Input::Ended { slot: 0, end: finished(1, "a", 1) });
    let said = words(&hall.handle(Input::Ended { slot: 0, end: finished(1, "a", 2) }));
    assert_eq!(said, ["start b/1 on 0", "keep a/2", "say finished a/2"]);
}

#[test]
fn a_slot_that_is_too_small_is_not_used() {
    let mut hall = hall(1);
    let mut big = play(1, "a", false);
    big.needs = Some(SlotNeeds { cores: 2, ..SlotNeeds::default() });
    let said = words(&hall.handle(order(1, Order::Play(big))));
    assert_eq!(said, [format!("say refused {}", RefusalReason::NotUnderstood.as_str_name())]);
}

#[test]
fn a_slot_that_is_too_large_is_not_used_where_resources_are_stated() {
    for (cores, gpus, exact, fits) in [(1, 0, true, true), (0, 0, false, true), (0, 0, true, false)] {
        let mut hall = hall(1);
        let mut stated = play(1, "a", false);
        stated.needs = Some(SlotNeeds { cores, gpus, exact, ..SlotNeeds::default() });
        let said = words(&hall.handle(order(1, Order::Play(stated))));
        assert_eq!(said[0].starts_with("start a/1"), fits, "{cores} {gpus} {exact}: {said:?}");
    }
}

#[test]
fn the_second_game_waits_for_the_word_where_it_is_to_be_asked() {
    let mut hall = hall(1);
    hall.handle(order(1, Order::Play(play(1, "a", true))));
    let said = words(&hall.handle(Input::Ended { slot: 0, end: finished(1, "a", 1) }));
    assert_eq!(said, ["keep a/1", "say finished a/1"]);
    assert_eq!(words(&hall.handle(Input::Beat)), ["beat free [0] holds [a/2 a/1]"]);
    let go_on = |go_on| Order::Recorded(Recorded { attempt: 1, game: Some(id("a", 1)), go_on });
    assert_eq!(words(&hall.handle(order(2, go_on(true)))), ["start a/2 on 0", "forget a/1"]);

    let mut hall = self::hall(1);
    hall.handle(order(1, Order::Play(play(1, "a", true))));
    hall.handle(Input::Ended { slot: 0, end: finished(1, "a", 1) });
    assert_eq!(words(&hall.handle(order(2, go_on(false)))), ["forget a/1"]);
    assert!(hall.is_empty());
}

#[test]
fn a_cancelled_game_ends_without_a_word_or_comes_back() {
    let cancel = |attempt, hand_back| Order::Cancel(Cancel { attempt, hand_back, ..Cancel::default() });
    let mut hall = hall(1);
    hall.handle(order(1, Order::Play(play(1, "a", false))));
    hall.handle(order(2, Order::Play(play(2, "b", false))));
    assert_eq!(words(&hall.handle(order(3, cancel(1, false)))), ["interrupt 0"]);
    let said = words(&hall.handle(Input::Ended { slot: 0, end: finished(1, "a", 1) }));
    assert_eq!(said, ["start b/1 on 0"], "even a game that finished meanwhile is not said");
    hall.handle(order(4, Order::Play(play(3, "c", false))));
    let said = words(&hall.handle(order(5, cancel(3, true))));
    assert_eq!(said, ["keep c/1", "say handed back c/1 HAND_BACK_REASON_CANCELLED"]);
}

#[test]
fn an_attempt_that_is_over_is_given_up() {
    let mut hall = hall(1);
    hall.handle(order(1, Order::Play(play(1, "a", false))));
    hall.handle(Input::Ended { slot: 0, end: finished(1, "a", 1) });
    let discarded =
        Discarded { attempt: 1, game: None, reason: DiscardReason::AttemptOver.into(), detail: String::new() };
    let said = words(&hall.handle(order(2, Order::Discarded(discarded))));
    assert_eq!(said, ["forget a/1", "interrupt 0"]);
}

#[test]
fn who_does_not_lead_says_where_to_go() {
    use rookery_proto::v1::{RejectReason, Rejected};
    let rejected = |reason: RejectReason, leader: &str| {
        let mut hall = hall(1);
        hall.handle(order(1, Order::Play(play(7, "p", false))));
        let leader = leader.to_owned();
        let rejected = Rejected { reason: reason.into(), leader, detail: "why".to_owned() };
        let effects = hall.handle(order(0, Order::Rejected(rejected)));
        assert!(!hall.is_empty(), "it plays on");
        match effects.as_slice() {
            [Effect::Reconnect { leader, fatal, .. }] => (leader.clone(), *fatal),
            _ => panic!("{}", words(&effects).join(", ")),
        }
    };
    assert_eq!(rejected(RejectReason::NotLeader, "http://b:7700"), (Some("http://b:7700".to_owned()), false));
    assert_eq!(rejected(RejectReason::NotLeader, ""), (None, false));
    assert_eq!(rejected(RejectReason::SecondBoot, ""), (None, false));
    assert!(rejected(RejectReason::Version, "").1, "it will never be taken");
}

#[test]
fn a_deposed_leader_is_not_obeyed() {
    let mut hall = hall(1);
    let old = AttachResponse { order: 1, leader_revision: 9, message: Some(Order::Play(play(1, "a", false))) };
    let said = words(&hall.handle(Input::Said(Box::new(old))));
    assert_eq!(said, ["say refused REFUSAL_REASON_OLD_LEADER"]);
    assert!(hall.is_empty());
}

#[test]
fn a_drain_lets_games_end_and_hands_the_rest_back() {
    let mut hall = hall(1);
    hall.handle(order(1, Order::Play(play(1, "a", false))));
    hall.handle(order(2, Order::Play(play(2, "b", false))));
    let said = words(&hall.handle(order(3, Order::Drain(Drain { grace_ms: 500, exit: true, undo: false }))));
    assert_eq!(
        said,
        ["keep b/1", "say handed back b/1 HAND_BACK_REASON_DRAINED", "wake after 500", "beat free [0] holds [a/1 b/1]"]
    );
    let said = words(&hall.handle(order(4, Order::Play(play(4, "d", false)))));
    assert_eq!(said, ["say refused REFUSAL_REASON_DRAINING"]);
    let said = words(&hall.handle(Input::Ended { slot: 0, end: finished(1, "a", 1) }));
    assert_eq!(
        said,
        ["keep a/1", "say finished a/1", "keep a/2", "say handed back a/2 HAND_BACK_REASON_DRAINED"],
        "the second game is not begun"
    );
    for (number, attempt, pair, game) in [(5, 2, "b", 1), (6, 1, "a", 1)] {
        let recorded = Recorded { attempt, game: Some(id(pair, game)), go_on: false };
        assert_eq!(words(&hall.handle(order(number, Order::Recorded(recorded)))), [format!("forget {pair}/{game}")]);
    }
    let recorded = Recorded { attempt: 1, game: Some(id("a", 2)), go_on: false };
    assert_eq!(words(&hall.handle(order(7, Order::Recorded(recorded)))), ["forget a/2", "exit"]);
}

#[test]
fn leaving_at_once_hands_games_in_play_back() {
    let mut hall = hall(1);
    hall.handle(order(1, Order::Play(play(1, "a", false))));
    let said = words(&hall.handle(Input::Leave { grace_ms: 0 }));
    assert_eq!(said, ["interrupt 0", "beat free [0] holds [a/1]"]);
}

#[test]
fn another_store_knows_nothing_of_what_is_in_hand() {
    let mut hall = hall(1);
    hall.handle(order(1, Order::Play(play(1, "a", false))));
    let welcome = Welcome { store_id: "another".to_owned(), ..Welcome::default() };
    let said = words(&hall.handle(order(0, Order::Welcome(welcome))));
    assert_eq!(said, ["interrupt 0", "beat free [0] holds [a/1]"]);
    assert_eq!(words(&hall.handle(Input::Ended { slot: 0, end: finished(1, "a", 1) })), [""; 0]);
}
