//! Where a store is, as people write it, and opening it.

use std::{fs, path::PathBuf, str::FromStr};

use super::{Arc, Duration, EmbeddedStore, EtcdStore, Secret, Servers, Store, StoreError};

/// etcd's port for clients.
const ETCD_PORT: u16 = 2379;
/// Where a password may be, so that no list of processes shows it.
const PASSWORD_VARIABLE: &str = "ROOKERY_ETCD_PASSWORD";

/// Where a store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// One file: `embedded:PATH`.
    Embedded(PathBuf),
    /// A cluster: `etcd://HOST:PORT,HOST:PORT[/?user=NAME&password=…|password-file=PATH]`; without either, the password
    /// is in the environment's `ROOKERY_ETCD_PASSWORD`.
    Etcd(Servers),
}

/// What opening needs besides the place.
#[derive(Debug, Clone)]
pub struct Options {
    /// The address at which workers and operators reach this coordinator; what a standby answers.
    pub advertised: String,
    /// How long the leader's lease lasts without being kept alive, in whole seconds; etcd makes it at least one and a
    /// half times its election timeout (2 s by default).
    pub lease: Duration,
    /// Within which a call to the store must be answered.
    pub deadline: Duration,
    /// How often the leader compacts what is older than that; none on a shared etcd.
    pub compact: Option<Duration>,
    /// The store's quota in bytes (etcd `--quota-backend-bytes`), where it does not tell itself.
    pub quota: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            advertised: String::new(),
            lease: Duration::from_secs(5),
            // Shorter than the lease, so that a member that hangs costs one call and not the leadership.
            deadline: Duration::from_secs(3),
            compact: Some(Duration::from_secs(300)),
            quota: 2 << 30,
        }
    }
}

impl FromStr for Place {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, StoreError> {
        // The part behind `?` may hold a password.
        let shown = text.split('?').next().unwrap_or_default();
        let bad = |what: String| {
            StoreError::Refused(format!("store {shown:?}: {what}; expected embedded:PATH or etcd://HOST:PORT,…"))
        };
        if let Some(path) = text.strip_prefix("embedded:") {
            if path.is_empty() {
                return Err(bad("the path is missing".into()));
            }
            return Ok(Self::Embedded(PathBuf::from(path)));
        }
        let Some(rest) = text.strip_prefix("etcd://") else { return Err(bad("unknown kind of store".into())) };
        let (hosts, query) = rest.split_once('?').unwrap_or((rest, ""));
        let hosts = hosts.strip_suffix('/').unwrap_or(hosts);
        let endpoints = hosts.split(',').map(endpoint).collect::<Result<_, _>>().map_err(bad)?;
        let user = user(query).map_err(bad)?;
        Ok(Self::Etcd(Servers { endpoints, user }))
    }
}

/// `HOST`, `HOST:PORT`, `[V6]:PORT`.
fn endpoint(text: &str) -> Result<String, String> {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => {
            (host, port.parse().map_err(|_| format!("{text:?}: {port:?} is not a port"))?)
        }
        _ => (text, ETCD_PORT),
    };
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b':' | b'[' | b']');
    if host.is_empty() || port == 0 || !host.bytes().all(plain) {
        return Err(format!("{text:?} is not HOST:PORT"));
    }
    Ok(format!("{host}:{port}"))
}

fn user(query: &str) -> Result<Option<(String, Secret)>, String> {
    let (mut user, mut password) = (None, None);
    for part in query.split('&').filter(|part| !part.is_empty()) {
        match part.split_once('=') {
            Some(("user", name)) => user = Some(decoded(name)?),
            Some(("password", text)) => password = Some(decoded(text)?),
            Some(("password-file", path)) => {
                let path = decoded(path)?;
                let text = fs::read_to_string(&path).map_err(|e| format!("password-file {path}: {e}"))?;
                password = Some(text.trim_end_matches(['\r', '\n']).to_owned());
            }
            Some((key, _)) => return Err(format!("unknown key {key:?} (user, password, password-file)")),
            None => return Err("a part behind ? has no =".into()),
        }
    }
    let Some(user) = user else {
        return if password.is_some() { Err("a password without a user".into()) } else { Ok(None) };
    };
    let password = password.or_else(|| std::env::var(PASSWORD_VARIABLE).ok());
    let password = password.ok_or_else(|| format!("user {user:?} without a password"))?;
    Ok(Some((user, Secret(password))))
}

/// `%XX` as in any URL.
fn decoded(text: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        if first != b'%' {
            bytes.push(first);
            rest = tail;
            continue;
        }
        let digits = tail.get(..2).and_then(|d| std::str::from_utf8(d).ok());
        let byte =
            digits.filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit())).and_then(|d| u8::from_str_radix(d, 16).ok());
        bytes.push(byte.ok_or("a % without two hexadecimal digits")?);
        rest = &tail[2..];
    }
    String::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned())
}

/// Opens the store at `url`: `embedded:PATH` or `etcd://HOST:PORT,HOST:PORT` (see [`Place`]). It campaigns from then on.
///
/// # Errors
/// `Refused` where the text makes no sense, another process has the file, or the store is of a newer schema;
/// `Unavailable` where it cannot be reached now.
pub async fn open(url: &str, options: Options) -> Result<Arc<dyn Store>, StoreError> {
    match url.parse()? {
        Place::Embedded(path) => Ok(Arc::new(EmbeddedStore::open(path).await?)),
        Place::Etcd(servers) => Ok(Arc::new(EtcdStore::open(servers, options).await?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_as_people_write_them() {
        let etcd = |endpoints: &[&str], user: Option<(&str, &str)>| {
            Some(Place::Etcd(Servers {
                endpoints: endpoints.iter().map(|&e| e.to_owned()).collect(),
                user: user.map(|(name, password)| (name.to_owned(), Secret(password.to_owned()))),
            }))
        };
        for (text, expected) in [
            ("embedded:a/b c", Some(Place::Embedded("a/b c".into()))),
            ("etcd://127.0.0.1:2379", etcd(&["127.0.0.1:2379"], None)),
            ("etcd://a:1,b,c.d:3/", etcd(&["a:1", "b:2379", "c.d:3"], None)),
            ("etcd://[::1]:2379,[::1]", etcd(&["[::1]:2379", "[::1]:2379"], None)),
            ("etcd://a/?user=u&password=p%26%25", etcd(&["a:2379"], Some(("u", "p&%")))),
            ("etcd://a?user=u&password=", etcd(&["a:2379"], Some(("u", "")))),
            ("etcd://a?password=p", None),
            ("etcd://a?user=u&pasword=p", None),
            ("etcd://a?user=%4", None),
            ("etcd://a?user=%+1&password=x", None),
            ("etcd://", None),
            ("etcd://a,", None),
            ("etcd://a:0", None),
            ("etcd://a:65536", None),
            ("etcd://a/b", None),
            ("http://a:2379", None),
            ("embedded:", None),
        ] {
            assert_eq!(text.parse::<Place>().ok(), expected, "{text}");
        }
    }

    #[test]
    fn a_password_is_not_shown() {
        let error = "etcd://a:x?user=u&password=hidden".parse::<Place>().expect_err("no port").to_string();
        assert!(!error.contains("hidden"), "{error}");
        let place = "etcd://a?user=u&password=hidden".parse::<Place>().expect("parses");
        assert!(!format!("{place:?}").contains("hidden"));
    }
}
