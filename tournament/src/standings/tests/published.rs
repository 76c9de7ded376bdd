//! Real ties, as values that were published, and the lists of tie-breaks by name.

use crate::spec::{TIE_BREAK_PRESETS, TIE_BREAKS, is_tie_break, parse};

#[test]
fn lists_by_name_are_lists_of_known_names() {
    for (name, list) in TIE_BREAK_PRESETS {
        assert!(list.iter().all(|tie_break| is_tie_break(tie_break)), "{name}");
        let text = |tie_breaks: &str| {
            let engines = "[[engine]]\nname = \"A\"\nprogram = \"a\"\n[[engine]]\nname = \"B\"\nprogram = \"b\"\n";
            format!("{engines}[event]\ntie-breaks = {tie_breaks}\n")
        };
        let none = |_: &str| Err(String::new());
        let named = parse("t.toml", &text(&format!("\"{name}\"")), &none).unwrap().spec;
        assert_eq!(named.event.tie_breaks, list, "{name}");
        let written = parse("t.toml", &text(&format!("{list:?}")), &none).unwrap().spec;
        assert_eq!(written, named);
        // What comes behind the last word would never be asked.
        let more = parse("t.toml", &text(&format!("{:?}", [list, &["koya"]].concat())), &none);
        assert!(more.unwrap_err().to_string().contains("nothing comes after"));
        let unknown = parse("t.toml", &text("\"tcec-leage\""), &none).unwrap_err().to_string();
        assert!(unknown.contains("did you mean `tcec-league`?"), "{unknown}");
    }
    let mut names: Vec<_> = TIE_BREAKS.iter().map(|(name, _)| name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), TIE_BREAKS.len());
}
