#!/bin/bash
# The first process of a host of its own (hosts.py starts it in new network, pid, uts and mount
# namespaces): a root over the machine's, in which what is written stays on this host, and sshd.
# Usage: host.sh NAME FOLDER FILES SHARED [PATH...]: FOLDER is empty and becomes the root, FILES is
# copied over it, SHARED is /shared, and each PATH is shown in it also where it is a mount of its own, or
# below /tmp; what is written there stays on this host, too.
set -eu
name=$1 base=$2 files=$3 shared=$4
shift 4
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$base"
mkdir "$base/upper" "$base/work" "$base/root" "$base/files"
cp -a "$files/." "$base/files" # before the machine's own folders are out of sight
root=$base/root
mount -t overlay -o "lowerdir=/,upperdir=$base/upper,workdir=$base/work" overlay "$root"
for path in "$@"; do # all users can get there, on this host
    while [ "$path" != / ]; do
        chmod o+x "$root$path" 2>/dev/null || true
        path=$(dirname "$path")
    done
done
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys" || mount --rbind /sys "$root/sys"
mount --bind /dev "$root/dev"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mkdir "$root/run/sshd"
device=$(stat -c %d /)
for path in "$@"; do
    case $path in
        /tmp/*) ;;
        *) [ "$(stat -c %d "$path")" != "$device" ] || continue ;;
    esac
    own=$(mktemp -d -p "$base")
    mkdir -p "$root$path" "$own/upper" "$own/work"
    chmod --reference="$path" "$own/upper"
    mount -t overlay -o "lowerdir=$path,upperdir=$own/upper,workdir=$own/work" overlay "$root$path"
done
mkdir -p "$root/shared" "$root/run/old"
mount --bind "$shared" "$root/shared"
cp -a "$base/files" "$root/run/files"
cd "$root"
pivot_root . run/old
umount -l /run/old
rmdir /run/old

# From here on / is this host's own.
rm -rf /root/.ssh /root/.bashrc /root/.profile /root/.bash_profile
for user in paddle tutorial; do
    sed -i "/^$user:/d" /etc/passwd /etc/shadow /etc/group
    rm -rf "/home/$user"
    case $user in paddle) id=2001 ;; *) id=2002 ;; esac
    echo "$user:x:$id:$id::/home/$user:/bin/bash" >> /etc/passwd
    echo "$user:x:$id:" >> /etc/group
    echo "$user:*:19000::::::" >> /etc/shadow
    mkdir -p "/home/$user"
    chown "$id:$id" "/home/$user"
done
cp -a /run/files/etc/. /etc
for home in /root /home/paddle /home/tutorial; do
    cp -a /run/files/ssh "$home/.ssh"
    chown -R --reference="$home" "$home/.ssh"
done
rm -rf /run/files
hostname "$name"
ip link set lo up
/usr/sbin/sshd -D -e -f /etc/ssh/sshd_test < /dev/null 2> /run/sshd.log &
echo ready
exec > /dev/null
while :; do # the first process takes in orphans
    wait || true
    sleep 1 || true
done
