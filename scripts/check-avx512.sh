#!/usr/bin/env bash
# Runs the AVX-512 copies where no processor has AVX-512: the emulator Bochs boots a Linux kernel whose only programs are
# the test of the Reversi kernels and the engine's bench. Correctness only: an emulator's times mean nothing. About five
# minutes of CPU time, hence no part of .ci/run.
#
#   scripts/check-avx512.sh [VMLINUZ]
#
# Without VMLINUZ Debian's current cloud kernel is downloaded, not installed. All files are below target/avx512. Debian has
# what it needs: bochs bochsbios vgabios grub-pc-bin grub-common xorriso mtools busybox-static binutils.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/skip.sh
target=${CARGO_TARGET_DIR:-target}
work=$target/avx512 root=$target/avx512/root
bios=/usr/share/bochs/BIOS-bochs-latest vga=/usr/share/bochs/VGABIOS-lgpl-latest
fail() { echo "FAILED: $*" && exit 1; }

missing=()
for program in bochs grub-mkrescue xorriso mformat busybox strip; do
    command -v "$program" >/dev/null || missing+=("$program")
done
for file in "$bios" "$vga" /usr/lib/grub/i386-pc; do
    [ -e "$file" ] || missing+=("$file")
done
[ $# -gt 0 ] || command -v apt-get >/dev/null || missing+=("a VMLINUZ (or apt-get to download one)")
if [ "$(uname -m)" != x86_64 ]; then missing+=("an x86-64 machine"); fi
if [ ${#missing[@]} -gt 0 ]; then
    skip "AVX-512 in an emulator needs $(printf '%s, ' "${missing[@]}" | sed 's/, $//')"
    exit 1
fi

# The kernel that a Debian package holds.
download_kernel() {
    local package
    package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/^ *Depends: //p' | head -n 1)
    [ -n "$package" ] || fail "apt-cache knows no linux-image-cloud-amd64: apt-get update, or name a VMLINUZ"
    rm -f "$work"/linux-image-*.deb
    (cd "$work" && apt-get --quiet --quiet --option APT::Sandbox::User=root download "$package")
    dpkg-deb --fsys-tarfile "$work"/linux-image-*.deb | tar --extract --to-stdout --wildcards './boot/vmlinuz-*' >"$1"
}

if grep -q -w avx512vl /proc/cpuinfo; then echo "this processor has AVX-512: cargo test --test kernels uses it directly"; fi
mkdir -p "$work"
vmlinuz=${1:-$work/vmlinuz}
[ -s "$vmlinuz" ] || download_kernel "$vmlinuz"

cargo build --quiet --release
tests=$(cargo test --quiet --no-run --test kernels --message-format json |
    sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | grep '/kernels-')

# The root file system: busybox, both programs, the libraries that they load.
rm -rf "$root" "$work/iso" && mkdir -p "$root"/{bin,dev,proc,tmp} "$work/iso/boot/grub"
cp "$(command -v busybox)" "$root/bin/busybox"
strip -o "$root/bin/kernels" "$tests"
strip -o "$root/bin/nullwindow" "$target/release/nullwindow"
for library in $(ldd "$tests" "$target/release/nullwindow" | grep -o ' */[^ :]* (' | tr -d ' (' | sort -u); do
    mkdir -p "$root$(dirname "$library")"
    cp --dereference "$library" "$root$library"
done
cat >"$root/init" <<'END'
#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mount -t proc proc /proc
try() {
    echo "== $*"
    "$@"
    echo "== status $?"
}
try /bin/busybox grep -o -w -m 1 avx512vl /proc/cpuinfo
try /bin/kernels --nocapture --test-threads 1
try /bin/nullwindow bench --check --option Kernel=avx512
/bin/busybox sleep 2
/bin/busybox poweroff -f
END
chmod +x "$root/init"
(cd "$root" && find . | busybox cpio -o -H newc) >"$work/iso/boot/initrd" 2>"$work/image.log"
cp "$vmlinuz" "$work/iso/boot/vmlinuz"
cat >"$work/iso/boot/grub/grub.cfg" <<'END'
set timeout=0
menuentry tests {
    linux /boot/vmlinuz console=ttyS0 loglevel=4 nokaslr mitigations=off panic=-1 clearcpuid=xsavec,xsaves
    initrd /boot/initrd
}
END
grub-mkrescue -o "$work/image.iso" "$work/iso" >>"$work/image.log" 2>&1 || fail "no image: $(tail -n 3 "$work/image.log")"

# Bochs has no display without a window but a VNC server, for whose clients it does not wait. Linux stops early on its newer
# models (Tiger Lake), and would give up AVX altogether because of the size that it states for compacted states (XSAVEC).
cat >"$work/bochsrc" <<END
megs: 1024
romimage: file=$bios
vgaromimage: file=$vga
cpu: model=corei7_skylake_x, count=1, ips=100000000, reset_on_triple_fault=0
clock: sync=none
ata0-master: type=cdrom, path=$work/image.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=$work/serial.txt
speaker: enabled=0
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
display_library: rfb, options="timeout=0"
log: $work/bochs.log
panic: action=fatal
END
rm -f "$work/serial.txt"
# Debian's Bochs is built with a debugger: it waits for the word to go on.
echo continue >"$work/debugger"
echo "Bochs runs; its serial console: $work/serial.txt"
timeout 7200 bochs -q -f "$work/bochsrc" -rc "$work/debugger" </dev/null >"$work/bochs.out" 2>&1 || true

tr -d '\r' <"$work/serial.txt" | sed -n '/^== /,$p' | grep -v '^\[ *[0-9.]*\]' || true
statuses=$(tr -d '\r' <"$work/serial.txt" | grep -c '^== status 0$' || true)
grep -q 'kernels of avx512 equal the rules' "$work/serial.txt" || fail "the kernels of AVX-512 did not pass"
[ "$statuses" = 3 ] || fail "$statuses of 3 programs succeeded: $work/serial.txt, $work/bochs.log"
echo "the AVX-512 copies are correct in the emulator (${SECONDS}s)"
