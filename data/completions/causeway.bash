# Completions of causeway, causeway-session, causewayctl and causeway-run for bash.

_causeway_options()
{
	local current=$1 previous=$2
	case $previous in
	--backend) COMPREPLY=($(compgen -W "drm wayland headless" -- "$current")) ;;
	--renderer) COMPREPLY=($(compgen -W "gles pixman" -- "$current")) ;;
	--config) COMPREPLY=($(compgen -f -- "$current")) ;;
	--log) COMPREPLY=($(compgen -W "all backend buffer config copy frame gpu protocol render scene seat shell surface" \
		-- "$current")) ;;
	*) return 1 ;;
	esac
}

_causeway()
{
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	[ "$previous" = = ] && previous=${COMP_WORDS[COMP_CWORD - 2]}
	[ "$current" = = ] && previous=${COMP_WORDS[COMP_CWORD - 1]} current=
	_causeway_options "$current" "$previous" && return
	COMPREPLY=($(compgen -W "--backend= --renderer= --config= --socket= --output= --log= --exit-with-child
		--check-config --hardware-report= --version --help $([ "${COMP_WORDS[0]##*/}" = causeway-session ] && echo --doctor)" -- "$current"))
	[[ ${COMPREPLY[0]:-} == *= ]] && compopt -o nospace
}

@ACTIONS@

_causewayctl()
{
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	if [ "$previous" = action ]; then
		COMPREPLY=($(compgen -W "$(_causewayctl_action_words)" -- "$current"))
		return
	elif [ "$COMP_CWORD" -gt 2 ] && [ "${COMP_WORDS[COMP_CWORD - 2]}" = action ]; then
		COMPREPLY=($(compgen -W "$(_causewayctl_action_words "$previous")" -- "$current"))
		[ "$previous" = spawn ] && COMPREPLY=($(compgen -c -- "$current"))
		return
	fi
	case $previous in
	overlay) COMPREPLY=($(compgen -W "routes damage off" -- "$current")) ;;
	screenshot | trace) COMPREPLY=($(compgen -f -- "$current")) ;;
	causewayctl) COMPREPLY=($(compgen -W "windows workspaces outputs keyboards surfaces gpus stats subscribe watch trace screenshot spawn action overlay reload quit
		--display= --help --version" -- "$current")) ;;
	*) COMPREPLY=($(compgen -W "--json --count= --seconds= --idle= --output= --gpu= --display= --help" -- "$current")) ;;
	esac
}

_causeway_run()
{
	local current=${COMP_WORDS[COMP_CWORD]}
	if [ "$COMP_CWORD" -eq 1 ]; then
		COMPREPLY=($(compgen -W "--gpu=integrated --gpu=discrete --gpu=display --rules --compression=zstd \
			--video=h264 --help" -- "$current")
			$(compgen -c -- "$current"))
	else
		COMPREPLY=($(compgen -f -- "$current"))
	fi
}

complete -F _causeway causeway causeway-session
complete -F _causewayctl causewayctl
complete -F _causeway_run causeway-run
