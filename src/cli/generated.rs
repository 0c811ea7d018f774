//! `nullwindow completions` and `nullwindow man`: shell completion scripts and manual pages, generated from the clap
//! definition.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap_complete::Shell;
use clap_mangen::Man;

use super::usage;
use crate::game::quoted;

#[derive(clap::Args, Debug)]
pub struct CompletionsArgs {
    /// Shell to generate the script for
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(clap::Args, Debug)]
pub struct ManArgs {
    /// Print the page of this command (default: the main page, which lists all commands)
    command: Option<String>,
}

pub fn completions(args: &CompletionsArgs, out: &mut dyn Write) -> Result<ExitCode> {
    let mut script = Vec::new(); // clap_complete panics on a write error
    clap_complete::generate(args.shell, &mut usage::command(), env!("CARGO_PKG_NAME"), &mut script);
    out.write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}

pub fn man(args: &ManArgs, out: &mut dyn Write) -> Result<ExitCode> {
    let mut command = usage::command().disable_help_subcommand(true);
    command.build();
    if let Some(name) = &args.command {
        let found = command.find_subcommand(name);
        command = found.with_context(|| format!("no command \"{}\": see nullwindow --help", quoted(name)))?.clone();
    }
    Man::new(command).render(out)?;
    Ok(ExitCode::SUCCESS)
}
