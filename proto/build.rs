//! Generates the types and the descriptor set from `rookery/v1/*.proto`.

use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files = ["common", "worker", "season", "game", "list", "fleet"].map(|name| format!("rookery/v1/{name}.proto"));
    for file in &files {
        println!("cargo:rerun-if-changed={file}");
    }
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    tonic_prost_build::configure()
        .file_descriptor_set_path(out.join("rookery_v1.bin"))
        .btree_map(".")
        .compile_protos(&files, &[".".to_owned()])?;
    Ok(())
}
