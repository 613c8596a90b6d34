# Completions of causeway, causewayctl and causeway-run for fish.

for command in causeway causeway-session
	complete -c $command -l backend -x -a 'drm wayland headless' -d 'Where outputs and input come from'
	complete -c $command -l renderer -x -a 'gles pixman' -d Renderer
	complete -c $command -l config -r -d 'Configuration file'
	complete -c $command -l socket -x -d 'Name of the Wayland socket'
	complete -c $command -l output -x -d 'Add an output: WxH[@HZ][*SCALE]'
	complete -c $command -l log -x -a 'all backend buffer config copy frame gpu protocol render scene seat shell surface' \
		-d 'Debug messages'
	complete -c $command -l exit-with-child -d 'End with the command'
	complete -c $command -l check-config -d 'Check the configuration'
	complete -c $command -l hardware-report -r -d 'Test the GPUs and write a report'
	complete -c $command -l version -d 'Print the version'
	complete -c $command -l help -d 'Print a summary'
end

complete -c causeway-session -l doctor -d 'Look for the programs that a session needs'

set -l commands windows workspaces outputs keyboards surfaces gpus stats subscribe watch trace screenshot spawn action overlay reload quit
complete -c causewayctl -f -n "not __fish_seen_subcommand_from $commands" -a "$commands"
complete -c causewayctl -l display -x -d 'Wayland display of the session'
complete -c causewayctl -l json -d 'Print JSON'
complete -c causewayctl -l help -d 'Explain a command'
complete -c causewayctl -l count -x -d 'Number of reports' -n '__fish_seen_subcommand_from watch'
complete -c causewayctl -l seconds -x -d 'Length of the trace' -n '__fish_seen_subcommand_from trace'
complete -c causewayctl -l idle -x -d 'Seconds without input until idle' -n '__fish_seen_subcommand_from subscribe'
complete -c causewayctl -l output -x -d Output -n '__fish_seen_subcommand_from screenshot'
complete -c causewayctl -l gpu -x -a 'integrated discrete display' -n '__fish_seen_subcommand_from spawn'
function __causewayctl_follows -d 'Whether the words before the cursor end so'
	string match -q -- "* $argv" (string join ' ' (commandline -opc))
end
complete -c causewayctl -f -n '__fish_seen_subcommand_from action'
@ACTIONS@
complete -c causewayctl -x -n '__causewayctl_follows action spawn' -a '(__fish_complete_command)'
complete -c causewayctl -f -a 'routes damage off' -n '__fish_seen_subcommand_from overlay'
complete -c causewayctl -F -n '__fish_seen_subcommand_from screenshot trace; and not __fish_seen_subcommand_from action'

complete -c causeway-run -l gpu -x -a 'integrated discrete display' -d 'GPU selector'
complete -c causeway-run -l compression -x -a 'none lz4 zstd' -d 'Compression by waypipe'
complete -c causeway-run -l video -x -a 'no h264 vp9 av1' -d 'Video codec of waypipe'
complete -c causeway-run -l rules -d 'Without a rule, start like any other program'
complete -c causeway-run -l help -d 'Print a summary'
complete -c causeway-run -x -a '(__fish_complete_subcommand)'
