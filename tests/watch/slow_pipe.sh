# Lines as they come; slowly to worker 0 while FOLDER/slow is there, as from a slow disk, and broken
# ones where FOLDER/bad is. Usage: slow_pipe.sh FOLDER < DATA
while IFS= read -r line; do
    [ "$PADDLE_TRAINER_ID" = 0 ] && [ -e "$1/slow" ] && sleep 0.02
    [ -e "$1/bad" ] && line='2 1 nonsense 1 0'
    printf '%s\n' "$line"
done
