//! `dataset`: writes or describes a dataset.

use std::io::{self, Read, Write};
use std::process::ExitCode;

use fairtrial_engine::dataset::{Dataset, DatasetSpec, Format, describe, write_rows};

use lexopt::{Arg, Parser};

use super::{Failure, Wrong, list, other, value};

pub const HELP: &str = "\
Writes the rows of the dataset that standard input describes, in id order.

fairtrial-engine dataset [OPTION ...] < SPECIFICATION

  --format tsv|jsonl  form of a row: tabs between the fields, as PostgreSQL's COPY and MySQL's LOAD DATA read it
                      (the default), or a JSON object a line
  --describe          instead of the rows: their number, their ids and the lengths of their fields, as JSON
  --ids ID,...        only these rows
  --skip-gaps         ids that hold no row are passed over";

pub struct Arguments {
    format: Format,
    describe: bool,
    ids: Vec<u64>,
    skip_gaps: bool,
}

impl Arguments {
    pub fn parse(arguments: &mut Parser) -> Result<Arguments, Wrong> {
        let (mut format, mut describe, mut ids, mut skip_gaps) = (None, false, Vec::new(), false);
        while let Some(argument) = arguments.next()? {
            match argument {
                Arg::Long("format") => format = Some(value(arguments, "format", parse_format)?),
                Arg::Long("describe") => describe = true,
                Arg::Long("ids") => ids = list(arguments, "ids")?,
                Arg::Long("skip-gaps") => skip_gaps = true,
                argument => return Err(other(argument)),
            }
        }
        if describe && (format.is_some() || !ids.is_empty()) {
            return Err(Wrong::Argument("--describe goes with neither --format nor --ids".to_owned()));
        }
        if skip_gaps && ids.is_empty() {
            return Err(Wrong::Argument("--skip-gaps needs --ids".to_owned()));
        }
        Ok(Arguments { format: format.unwrap_or(Format::Tsv), describe, ids, skip_gaps })
    }
}

fn parse_format(text: &str) -> Result<Format, &'static str> {
    match text {
        "tsv" => Ok(Format::Tsv),
        "jsonl" => Ok(Format::JsonLines),
        _ => Err("tsv or jsonl is needed"),
    }
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let mut json = Vec::new();
    io::stdin().lock().read_to_end(&mut json)?;
    let mut reader = serde_json::Deserializer::from_slice(&json);
    let spec: DatasetSpec = serde_path_to_error::deserialize(&mut reader)
        .map_err(|error| Failure::Input(format!("dataset: {error}")))?;
    reader.end().map_err(|error| Failure::Input(format!("dataset: {error}")))?;
    let dataset = Dataset::new(&spec).map_err(|error| Failure::Input(format!("dataset: {error}")))?;

    let mut out = io::stdout().lock();
    if arguments.describe {
        serde_json::to_writer(&mut out, &describe(&dataset)).map_err(io::Error::from)?;
        writeln!(out)?;
        return Ok(ExitCode::SUCCESS);
    }
    let format = arguments.format;
    if arguments.ids.is_empty() {
        write_rows(&dataset, dataset.ids(), format, &mut out)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut ids = arguments.ids.clone();
    ids.sort_unstable();
    ids.dedup();
    if arguments.skip_gaps {
        ids.retain(|&id| dataset.holds(id));
    }
    if let Some(missing) = ids.iter().find(|&&id| !dataset.holds(id)) {
        let last_id = dataset.last_id();
        return Err(Failure::Input(format!("--ids: no row has the id {missing} (the last id is {last_id})")));
    }
    write_rows(&dataset, ids.into_iter(), format, &mut out)?;
    Ok(ExitCode::SUCCESS)
}
