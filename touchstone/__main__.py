from touchstone.command_line import main

main()
