"""``python -m memory_ls``: the same as the command ``memory-ls``."""

from memory_ls.cli.main import main

if __name__ == "__main__":
    main()
