fn main() {
    // The searches recurse; the default is 1 MiB.
    println!("cargo:rustc-link-arg-cdylib=-zstack-size=8388608");
    println!("cargo:rerun-if-changed=build.rs");
}
