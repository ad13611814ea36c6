//! Makes Rust's code of `shop.proto`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=shop.proto");
    let files = protox::compile(["shop.proto"], ["."])?;
    tonic_prost_build::configure()
        .build_client(false)
        .compile_fds(files)?;
    Ok(())
}
