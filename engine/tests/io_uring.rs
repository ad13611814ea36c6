//! All that is tested of the drivers, once more by io_uring where it is to be had.

mod by_driver;
mod common;
