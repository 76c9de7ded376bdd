//! `rookery`: engine tournaments on a cluster, or whole on one laptop.

/// Says a line on stderr. A full disk or a closed pipe there is no reason to end: `eprintln!` would.
macro_rules! tell {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _unheard = writeln!(std::io::stderr(), $($words)*);
    }};
}

mod args;
mod ccp_engine;
mod check;
mod client;
mod exit;
mod live;
mod operator;
mod progress;
mod publisher;
mod rate;
mod recover;
mod replay;
mod run;
mod schedule;
mod serve;
mod table;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command};

fn main() -> ExitCode {
    end_with_stdout();
    let cli = Cli::parse();
    init_log(cli.verbose, cli.log_format);
    let outcome = match cli.command {
        Command::Launch(launch) => return serve::launch(&launch),
        Command::Completions { shell } => {
            let mut command = <Cli as clap::CommandFactory>::command();
            clap_complete::generate(shell, &mut command, "rookery", &mut std::io::stdout());
            Ok(exit::DONE)
        }
        Command::Rate(args) => rate::run(&args, cli.json),
        Command::Spec { command } => check::spec(&command, cli.json),
        Command::Book { command } => check::book(&command, cli.json),
        Command::Engine { command } => check::engine(&command, cli.json),
        Command::CcpEngine => ccp_engine::run(),
        Command::Schedule { command: Some(command), .. } => schedule::run(&command, cli.json),
        Command::Schedule { command: None, to_come } if !to_come.beyond.is_empty() => {
            Err(schedule::no_command(&to_come))
        }
        Command::Schedule { command: None, to_come } => {
            block_on(operator::run(args::OperatorCommand::ToCome(to_come), &cli.operator, cli.json))
        }
        Command::Run(run) => block_on(run::run(*run, cli.json)),
        Command::Coordinator(coordinator) => block_on(serve::coordinator(*coordinator)),
        Command::Recover(args) => block_on(recover::run(args, cli.json)),
        Command::Worker(worker) => match worker.command {
            Some(args::WorkerCommand::Plan) => serve::worker_plan(&worker.options, cli.json),
            None => block_on(serve::worker(cli.operator.coordinator, worker.options)),
        },
        Command::Operator(args::OperatorCommand::Replay { event, game: None, log }) => {
            replay::run(std::path::Path::new(&event), &log, cli.json)
        }
        Command::Operator(command) => block_on(operator::run(command, &cli.operator, cli.json)),
    };
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            tell!("error: {}", exit::full(error.as_ref()));
            ExitCode::from(exit::code_of(error.as_ref()))
        }
    }
}

/// Two threads carry all the waiting; games are refereed on threads of their own.
fn block_on<F: Future<Output = exit::Outcome>>(future: F) -> exit::Outcome {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?.block_on(future)
}

/// A reader that has gone (`| head`) ends the program quietly; a stdout that takes nothing more is an error.
fn end_with_stdout() {
    let otherwise = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        match info.payload_as_str().and_then(|text| text.strip_prefix("failed printing to stdout: ")) {
            Some(why) if why.starts_with("Broken pipe") => std::process::exit(i32::from(exit::DONE)),
            Some(why) => {
                tell!("error: stdout: {why}");
                std::process::exit(i32::from(exit::FAILED));
            }
            None => otherwise(info),
        }
    }));
}

fn init_log(verbose: u8, format: args::LogFormat) {
    use tracing_subscriber::EnvFilter;
    let default = match verbose {
        0 => "warn",
        1 => "info",
        _ => "debug",
    };
    let filter = EnvFilter::try_from_env("ROOKERY_LOG").unwrap_or_else(|_| EnvFilter::new(default));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // It would say by `eprintln!` that stderr is gone.
    let builder = builder.log_internal_errors(false);
    match format {
        args::LogFormat::Text => builder.with_target(false).init(),
        args::LogFormat::Json => builder.json().init(),
    }
}
