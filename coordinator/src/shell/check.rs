//! What clients and workers send is bounded here, before anything is made of it.

use rookery_proto::v1;
use tonic::Status;
use uuid::Uuid;

use super::limits;
use crate::core::Change;

/// Who and why of a change; a request id is drawn where the client gave none, as its repetition is then a new change.
pub(super) fn change(change: Option<v1::Change>) -> Result<Change, Status> {
    let v1::Change { by, reason, request_id } = change.unwrap_or_default();
    bounded("change.by", &by, limits::NAME)?;
    bounded("change.reason", &reason, limits::REASON)?;
    bounded("change.request_id", &request_id, limits::NAME)?;
    let by = if by.trim().is_empty() { "unnamed".to_owned() } else { one_line(&by) };
    let request_id = if request_id.is_empty() { Uuid::new_v4().to_string() } else { one_line(&request_id) };
    Ok(Change { by, reason: one_line(&reason), request_id })
}

/// A ruling is signed: who and why must be there.
pub(super) fn ruling(given: Option<v1::Change>) -> Result<Change, Status> {
    let signed = given.as_ref().is_some_and(|c| !c.by.trim().is_empty() && !c.reason.trim().is_empty());
    if signed {
        change(given)
    } else {
        Err(Status::invalid_argument(
            "a ruling says who and why: `change.by` and `change.reason` must not be empty (`--by`, `--reason`)",
        ))
    }
}

/// A name, an id or a path of a request.
pub(super) fn name(field: &str, value: &str) -> Result<(), Status> {
    if value.is_empty() {
        return Err(Status::invalid_argument(format!("`{field}` is empty")));
    }
    bounded(field, value, limits::NAME)
}

/// A text of at most `most` characters.
pub(super) fn bounded(field: &str, value: &str, most: usize) -> Result<(), Status> {
    if value.chars().nth(most).is_some() {
        return Err(Status::invalid_argument(format!("`{field}` has more than {most} characters")));
    }
    Ok(())
}

/// Control characters would break lines of logs and tables.
fn one_line(text: &str) -> String {
    text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Whether a hello is of a size that any worker can have; what it means is the core's to judge. An error is one line for people.
pub(super) fn hello(hello: &v1::Hello) -> Result<(), String> {
    for (field, value) in
        [("worker", &hello.worker), ("boot", &hello.boot), ("version", &hello.version), ("store_id", &hello.store_id)]
    {
        if value.len() > limits::NAME {
            return Err(format!("`{field}` has more than {} bytes", limits::NAME));
        }
    }
    let most = [
        ("slots", hello.slots.len(), limits::SLOT_CLASSES),
        ("gpus", hello.gpus.len(), limits::CATALOGUE),
        ("protocols", hello.protocols.len(), limits::SLOT_CLASSES),
        ("engines", hello.engines.len(), limits::CATALOGUE),
        ("labels", hello.labels.len(), limits::CATALOGUE),
        ("cpu_features", hello.cpu_features.len(), limits::CATALOGUE),
        ("cage", hello.cage.len(), limits::SLOT_CLASSES),
    ];
    for (field, count, most) in most {
        if count > most {
            return Err(format!("`{field}` has {count} entries; at most {most}"));
        }
    }
    if !hello.calibration.is_finite() || hello.calibration < 0.0 {
        return Err("`calibration` is not a positive number".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> v1::Hello {
        v1::Hello { worker: "node-1.lan".to_owned(), boot: "b_1".to_owned(), calibration: 1.0, ..v1::Hello::default() }
    }

    #[test]
    fn hellos() {
        #[track_caller]
        fn check(change: impl FnOnce(&mut v1::Hello), expected: Result<(), &str>) {
            let mut changed = good();
            change(&mut changed);
            let found = hello(&changed);
            match expected {
                Ok(()) => assert_eq!(found, Ok(())),
                Err(part) => assert!(found.as_ref().is_err_and(|e| e.contains(part)), "{found:?}"),
            }
        }
        check(|_| (), Ok(()));
        check(|h| h.worker = "x".repeat(201), Err("more than 200"));
        check(|h| h.slots = vec![v1::SlotClass::default(); 65], Err("`slots` has 65"));
        check(|h| h.calibration = f64::NAN, Err("calibration"));
    }

    #[test]
    fn changes() {
        let given = v1::Change { by: " ann\n".to_owned(), reason: "why\tnot".to_owned(), request_id: String::new() };
        let taken = change(Some(given)).unwrap();
        assert_eq!((taken.by.as_str(), taken.reason.as_str()), ("ann", "why not"));
        assert!(!taken.request_id.is_empty());
        assert!(ruling(Some(v1::Change { by: "ann".to_owned(), ..Default::default() })).is_err());
        let long = v1::Change { reason: "x".repeat(2_001), ..Default::default() };
        assert!(change(Some(long)).is_err());
    }
}
