#!/usr/bin/env bash
# Tests the AVX-512 code on machines without AVX-512. The emulator Bochs boots a Linux kernel that runs the test of the Reversi
# kernels and the bench. It checks correctness only: times in an emulator mean nothing. Takes about five minutes of CPU time and is
# therefore not part of .ci/run.
#
#   scripts/check-avx512.sh [VMLINUZ]
#
# Without VMLINUZ, it downloads Debian's current cloud kernel, and does not install it. All files are below target/avx512. Debian
# packages needed: bochs bochsbios vgabios grub-pc-bin grub-common xorriso mtools busybox-static binutils.
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
    skip "the AVX-512 emulation needs $(printf '%s, ' "${missing[@]}" | sed 's/, $//')"
    exit 1
fi

# Extracts the kernel from its Debian package.
download_kernel() {
    local package
    package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/^ *Depends: //p' | head -n 1)
    [ -n "$package" ] || fail "apt-cache does not list linux-image-cloud-amd64: run apt-get update, or pass a VMLINUZ"
    rm -f "$work"/linux-image-*.deb
    (cd "$work" && apt-get --quiet --quiet --option APT::Sandbox::User=root download "$package")
    dpkg-deb --fsys-tarfile "$work"/linux-image-*.deb | tar --extract --to-stdout --wildcards './boot/vmlinuz-*' >"$1"
}

if grep -q -w avx512vl /proc/cpuinfo; then echo "this CPU has AVX-512: cargo test kernels:: tests it directly"; fi
mkdir -p "$work"
vmlinuz=${1:-$work/vmlinuz}
[ -s "$vmlinuz" ] || download_kernel "$vmlinuz"

cargo build --quiet --release
tests=$(cargo test --quiet --no-run --test all --message-format json |
    sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | grep '/all-')

# The root file system: busybox, both programs, and their shared libraries.
rm -rf "$root" "$work/iso" && mkdir -p "$root"/{bin,dev,proc,tmp} "$work/iso/boot/grub"
cp "$(command -v busybox)" "$root/bin/busybox"
strip -o "$root/bin/tests" "$tests"
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
try /bin/tests kernels:: --nocapture --test-threads 1
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

# Bochs's only display without a window is a VNC server; timeout=0 keeps it from waiting for a client. Linux stops early on newer
# CPU models (Tiger Lake), and disables AVX because of the size that Bochs reports for compacted states (hence clearcpuid=xsavec).
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
# Debian's Bochs is built with a debugger, which waits for the command `continue`.
echo continue >"$work/debugger"
echo "Bochs is running; serial console: $work/serial.txt"
timeout 7200 bochs -q -f "$work/bochsrc" -rc "$work/debugger" </dev/null >"$work/bochs.out" 2>&1 || true

tr -d '\r' <"$work/serial.txt" | sed -n '/^== /,$p' | grep -v '^\[ *[0-9.]*\]' || true
statuses=$(tr -d '\r' <"$work/serial.txt" | grep -c '^== status 0$' || true)
grep -q 'kernels of avx512 equal the rules' "$work/serial.txt" || fail "the test of the AVX-512 kernels did not pass: $work/serial.txt"
[ "$statuses" = 3 ] || fail "only $statuses of 3 programs succeeded: see $work/serial.txt and $work/bochs.log"
echo "the AVX-512 code passes in the emulator (${SECONDS}s)"
