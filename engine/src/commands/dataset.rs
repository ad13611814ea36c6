//! `dataset`: writes or describes a dataset.

use std::io::{self, Read, Write};
use std::process::ExitCode;

use clap::ValueEnum;
use fairtrial_engine::dataset::{Dataset, DatasetSpec, Format, describe, write_rows};

use super::Failure;

/// Writes the rows of the dataset that standard input describes, in id order.
#[derive(clap::Args)]
pub struct Arguments {
    /// Form of a row.
    #[arg(long, value_enum, default_value_t = FormatName::Tsv)]
    format: FormatName,
    /// Instead of the rows: their number, their ids and the lengths of their fields, as JSON.
    #[arg(long, conflicts_with_all = ["format", "ids"])]
    describe: bool,
    /// Only these rows.
    #[arg(long, value_delimiter = ',', value_name = "ID,...")]
    ids: Vec<u64>,
    /// Ids that hold no row are passed over.
    #[arg(long, requires = "ids")]
    skip_gaps: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum FormatName {
    /// Tabs between the fields, as PostgreSQL's COPY and MySQL's LOAD DATA read it.
    Tsv,
    /// One JSON object a line.
    Jsonl,
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
    let format = match arguments.format {
        FormatName::Tsv => Format::Tsv,
        FormatName::Jsonl => Format::JsonLines,
    };
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
