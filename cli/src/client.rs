//! Asks a coordinator.

use rookery_proto::{
    MESSAGE_LIMIT,
    v1::{
        self, fleet_service_client::FleetServiceClient, game_service_client::GameServiceClient,
        list_service_client::ListServiceClient, season_service_client::SeasonServiceClient,
    },
};
use tonic::transport::{Channel, Endpoint};

use crate::{args::OperatorOptions, exit};

/// Clients of the services over one connection.
pub(crate) struct Client {
    pub(crate) seasons: SeasonServiceClient<Channel>,
    pub(crate) games: GameServiceClient<Channel>,
    pub(crate) lists: ListServiceClient<Channel>,
    pub(crate) fleet: FleetServiceClient<Channel>,
    /// Which of the addresses given this is.
    at: usize,
    options: OperatorOptions,
}

/// How long one address may take to be reached.
const CONNECT: std::time::Duration = std::time::Duration::from_secs(5);

impl Client {
    /// Connects to the first of the addresses that answers.
    pub(crate) async fn connect(options: &OperatorOptions) -> Result<Self, Box<dyn std::error::Error>> {
        Self::connect_from(options, 0).await
    }

    /// Connects to the next of the addresses, or anew where there is one; stays where none answers.
    pub(crate) async fn try_another(&mut self) {
        if let Ok(other) = Self::connect_from(&self.options, self.at + 1).await {
            *self = other;
        }
    }

    async fn connect_from(options: &OperatorOptions, first: usize) -> Result<Self, Box<dyn std::error::Error>> {
        let given: Vec<&str> = options.coordinator.split(',').map(str::trim).collect();
        let mut last = None;
        for at in first..first + given.len() {
            let at = at % given.len();
            match Self::connect_to(given[at], at, options).await {
                Err(error) if error.is::<exit::Unreached>() => last = Some(error),
                other => return other,
            }
        }
        Err(last.unwrap_or_else(|| exit::Usage("no coordinator named".to_owned()).into()))
    }

    async fn connect_to(
        address: &str,
        at: usize,
        options: &OperatorOptions,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let address = &with_scheme(address)?;
        let unreached = |why: String| exit::Unreached(format!("no coordinator at {address}: {why}"));
        let endpoint = Endpoint::from_shared(address.clone())
            .map_err(|_| exit::Usage(format!("`{address}` is not an address; expected e.g. http://127.0.0.1:7700")))?
            .connect_timeout(CONNECT);
        let channel = endpoint.connect().await.map_err(|error| unreached(exit::full(&error)))?;
        let limit = MESSAGE_LIMIT;
        Ok(Self {
            seasons: SeasonServiceClient::new(channel.clone()).max_decoding_message_size(limit),
            games: GameServiceClient::new(channel.clone()).max_decoding_message_size(limit),
            lists: ListServiceClient::new(channel.clone()).max_decoding_message_size(limit),
            fleet: FleetServiceClient::new(channel).max_decoding_message_size(limit),
            at,
            options: options.clone(),
        })
    }

    /// How it was reached.
    pub(crate) fn options(&self) -> OperatorOptions {
        self.options.clone()
    }

    /// Who and why, with a request id of its own.
    pub(crate) fn change(&self) -> Option<v1::Change> {
        Some(v1::Change {
            by: self.options.by.clone().unwrap_or_else(who),
            reason: self.options.reason.clone(),
            request_id: uuid::Uuid::new_v4().to_string(),
        })
    }
}

/// `host:7700` means `http://host:7700`.
fn with_scheme(address: &str) -> Result<String, exit::Usage> {
    match address.split_once("://") {
        None if address.contains(':') => Ok(format!("http://{address}")),
        Some(("http" | "https", host)) if !host.is_empty() => Ok(address.to_owned()),
        _ => Err(exit::Usage(format!("`{address}` is not an address; expected e.g. http://127.0.0.1:7700"))),
    }
}

/// The person at this machine.
pub(crate) fn who() -> String {
    ["USER", "LOGNAME"].iter().find_map(|name| std::env::var(name).ok()).unwrap_or_else(|| "operator".to_owned())
}

/// A status as an error for people.
pub(crate) fn failed(status: tonic::Status) -> Box<dyn std::error::Error> {
    use tonic::Code;
    match status.code() {
        Code::InvalidArgument => Box::new(exit::Usage(status.message().to_owned())),
        Code::Unavailable => Box::new(exit::Unreached(status.message().to_owned())),
        Code::NotFound | Code::FailedPrecondition | Code::AlreadyExists => status.message().to_owned().into(),
        code => format!("{code}: {}", status.message()).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::with_scheme;

    #[test]
    fn addresses() {
        for (given, taken) in [
            ("http://a:1", Some("http://a:1")),
            ("https://a", Some("https://a")),
            ("a:1", Some("http://a:1")),
            ("", None),
            ("foo", None),
            ("http://", None),
            ("ftp://a:1", None),
        ] {
            assert_eq!(with_scheme(given).ok().as_deref(), taken, "{given}");
        }
    }
}
