//! What the fuzz target calls, in every run of the tests: on noise, and on what is nearly right.

use proptest::prelude::*;

#[path = "../../fuzz/src/entries.rs"]
mod entries;

/// Lines that are right, to be broken.
fn right() -> Vec<String> {
    let cells = format!("0000000000{}1111111111", ".".repeat(101));
    let row = format!(
        "{{\"type\":\"ccerl_position\",\"schema\":\"ccerl.position.v1\",\"id\":\"a\",\"cells\":\"{cells}\",\"player\":0,\"ply\":0,\
         \"hash\":\"0xeb4585067e1567b1\",\"legal_count\":14}}"
    );
    let log = format!(
        "{{\"type\":\"ccp_game_start\",\"game_id\":1,\"initial_cells\":\"{cells}\",\"max_plies\":240}}\n\
         {{\"type\":\"ccp_move\",\"game_id\":1,\"from\":3,\"to\":14,\"path\":[3,14]}}\n\
         {{\"type\":\"ccp_game_end\",\"game_id\":1,\"draw\":true,\"plies\":1}}"
    );
    vec![
        format!("cells {cells} player 0 ply 0"),
        "3-14 111-102 4-15-13 102,111 13-28-30".to_owned(),
        row.clone(),
        log,
        format!("{row}\n{}", row.replace("\"a\"", "\"b\"")),
    ]
}

#[test]
fn what_is_right_is_taken() {
    for (text, which) in right().into_iter().zip(0_u8..) {
        entries::any(&[&[which], text.as_bytes()].concat());
    }
    let [position, .., rows] = &right()[..] else { panic!() };
    assert!(rookery_game::board::at(rookery_game::GameKind::ChineseCheckers, position).is_ok());
    let rules = rookery_game::chinese_checkers::Rules::default();
    assert!(
        rookery_game::chinese_checkers::schedule::Row::read(rows.lines().next().unwrap().as_bytes(), rules).is_ok()
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn noise_is_answered(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        entries::any(&bytes);
    }

    #[test]
    fn what_is_nearly_right_is_answered(
        which in 0_u8..5,
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..4, "[0-9.,\"{}\\[\\]:eE+ \n-]{0,4}"), 1..4),
    ) {
        let mut bytes = right()[usize::from(which)].clone().into_bytes();
        for (at, length, put) in cuts {
            let start = at.index(bytes.len() + 1);
            let end = (start + length).min(bytes.len());
            bytes.splice(start..end, put.into_bytes());
        }
        bytes.insert(0, which);
        entries::any(&bytes);
    }
}
