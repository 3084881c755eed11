# emit.sh LOG_DIR KIND: writes the logs of the recorded containers.
dir=$1
case $2 in
  plain)
    echo "container $CONTAINER_ID"
    seq 1 1000
    for i in $(seq 0 255); do printf "\\$(printf %03o "$i")"; done >&2
    : > "$dir/empty"
    yes 0123456789abcdef | head -c 3000000 > "$dir/large"
    ;;
  rolled)
    for part in 1 2 3; do
      { echo "part $part of $CONTAINER_ID"; seq 1 "${part}00"; } > "$dir/part.$part.new"
      mv "$dir/part.$part.new" "$dir/part"
      sleep 6  # the NodeManager has two upload cycles in this time
    done
    echo "last words"
    ;;
esac
exit 1
