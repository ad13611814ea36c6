"""`python -m fairtrial`: the same as the console command `fairtrial`."""

from fairtrial.commands import main

if __name__ == "__main__":
    main()
