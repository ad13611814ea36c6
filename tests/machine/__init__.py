"""What tests need of the machine they run on: installed, looked for, and told of where it is lacking."""
