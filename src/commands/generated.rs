//! What clap makes of the command line: completion scripts of shells, and manual pages.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap_complete::Shell;
use clap_mangen::Man;

use super::usage;
use crate::game::quoted;

/// Arguments of `completions`.
#[derive(clap::Args, Debug)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Arguments of `man`.
#[derive(clap::Args, Debug)]
pub struct ManArgs {
    /// The command whose page is written (default: that of nullwindow itself, which lists them)
    command: Option<String>,
}

/// Writes a completion script.
pub fn completions(args: &CompletionsArgs, out: &mut dyn Write) -> Result<ExitCode> {
    let mut script = Vec::new(); // clap_complete panics where it cannot write
    clap_complete::generate(args.shell, &mut usage::command(), env!("CARGO_PKG_NAME"), &mut script);
    out.write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a manual page.
pub fn man(args: &ManArgs, out: &mut dyn Write) -> Result<ExitCode> {
    let mut command = usage::command().disable_help_subcommand(true);
    command.build();
    if let Some(name) = &args.command {
        let found = command.find_subcommand(name);
        command =
            found.with_context(|| format!("man: no command \"{}\", see nullwindow --help", quoted(name)))?.clone();
    }
    Man::new(command).render(out)?;
    Ok(ExitCode::SUCCESS)
}
