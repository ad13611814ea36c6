"""What tests need of the machine they run on: installed, looked for, and told of where it is lacking."""

from fairtrial.base.search_path import search_administrators_folders

search_administrators_folders()  # as the command line does
