"""`python -m triage`."""

from triage.cli.app import main

if __name__ == "__main__":
    main()
