#!/bin/sh
# A task finds the addresses of all tasks in its environment.
echo "hello from $HOWDAH_ROLE:$HOWDAH_TASK_INDEX of $HOWDAH_ROLE_SIZE; we are $HOWDAH_CLUSTER"
