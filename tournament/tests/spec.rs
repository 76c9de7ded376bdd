//! The spec as people write it: what is read, what is refused and how it is said.

use std::{fs, path::PathBuf};

use rookery_tournament::spec::{Parsed, SpecErrors, explain, parse};

fn no_files(name: &str) -> Result<String, String> {
    Err(format!("no file {name}"))
}

fn examples() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/examples"))
}

fn read(text: &str) -> Result<Parsed, SpecErrors> {
    parse("t.toml", text, &no_files)
}

#[test]
fn examples_are_read_and_explained() {
    let mut seen = 0;
    for entry in fs::read_dir(examples()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name == "engines.toml" {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let loader = |file: &str| fs::read_to_string(examples().join(file)).map_err(|e| e.to_string());
        let parsed = parse(&name, &text, &loader).unwrap_or_else(|e| panic!("{e}"));
        let explained = explain(&parsed.spec);
        let again = read(&explained).unwrap_or_else(|e| panic!("{e}\n{explained}"));
        assert_eq!(again.spec, parsed.spec, "{explained}");
        assert_eq!(explain(&again.spec), explained);
        seen += 1;
    }
    assert!(seen >= 4);
}
