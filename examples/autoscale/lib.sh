# Functions for provider commands. Source it after `settings`.
set -euo pipefail

quoted() {
  printf '%s' "$1" | tr '\n\t' '  ' | tr -d '\000-\037' | sed 's/[\\"]/\\&/g'
}

# machine ID HOST GROUP STATE [CLASS MESSAGE]: prints one line of `list`. HOST may be empty while the machine is made.
machine() {
  printf '{"id": "%s", "host": "%s", "group": "%s", "state": "%s"' "$1" "$2" "$3" "$4"
  if [ $# -gt 4 ]; then printf ', "error": {"class": "%s", "message": "%s"}' "$5" "$(quoted "$6")"; fi
  printf '}\n'
}

# made_by TOKEN FILE…: prints how many of the files contain just this token.
made_by() {
  { grep -lx -- "$1" "${@:2}" 2>/dev/null || true; } | wc -l
}

# fail CLASS MESSAGE: ends the command with an error of this class.
fail() {
  printf '{"error": {"class": "%s", "message": "%s"}}\n' "$1" "$(quoted "$2")"
  printf '%s\n' "$2" >&2
  exit 1
}

# attempt COMMAND…: runs the command. If it fails, its whole stderr decides the class: the regular expressions QUOTA,
# CAPACITY and FATAL come from the provider's scripts, and DONE matches errors that mean success.
attempt() {
  local errors
  if errors=$("$@" 2>&1 >/dev/null); then return 0; fi
  local last class
  last=$(grep . <<<"$errors" | tail -n 1 || true)
  errors=${errors//$'\n'/ }
  if [ -n "${DONE:-}" ] && grep -Eq "$DONE" <<<"$errors"; then return 0; fi
  for class in QUOTA CAPACITY FATAL; do
    if [ -n "${!class:-}" ] && grep -Eq "${!class}" <<<"$errors"; then fail "$class" "$last"; fi
  done
  fail TRANSIENT "$last"
}
