#!/bin/sh
# Creates the secret files of docker-compose.yml; existing files are kept: sh ops/secrets.sh [FOLDER]. Only the owner can
# enter the folder. Its files are readable for all users, because containers mount single files under other users.
set -eu
folder="${1:-secrets}"
mkdir -p "$folder"
chmod 700 "$folder"
cd "$folder"
umask 022
random() { [ -e "$1" ] || openssl rand -hex 24 | tr -d '\n' >"$1"; }
for name in postgres-password temporal-password store-owner-password store-password store-reader-password bank-key bank-secret; do
  random "$name"
done
[ -e bank-reads-key ] || openssl rand -base64 32 | tr -d '\n' >bank-reads-key
[ -e codec-keys ] || printf 'compose:%s' "$(openssl rand -base64 32)" >codec-keys
url() { [ -e "$1" ] || printf 'postgres://%s:%s@postgres:5432/payouts' "$2" "$(cat "$3")" >"$1"; }
url store-owner-url payouts_owner store-owner-password
url store-url payouts_writer store-password
[ -e gateway-certificate ] || openssl req -x509 -newkey rsa:2048 -nodes -days 365 -subj /CN=localhost \
  -addext 'subjectAltName=DNS:localhost,DNS:gateway,IP:127.0.0.1' -keyout gateway-key -out gateway-certificate 2>/dev/null
[ -e audit-key ] || openssl genpkey -algorithm ed25519 -out audit-key
chmod 644 gateway-key audit-key
