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
for name in postgres-password temporal-password store-password bank-key bank-secret; do random "$name"; done
[ -e codec-keys ] || printf 'compose:%s' "$(openssl rand -base64 32)" >codec-keys
[ -e store-url ] || printf 'postgres://payouts:%s@postgres:5432/payouts' "$(cat store-password)" >store-url
[ -e gateway-certificate ] || openssl req -x509 -newkey rsa:2048 -nodes -days 365 -subj /CN=localhost \
  -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' -keyout gateway-key -out gateway-certificate 2>/dev/null
[ -e audit-key ] || openssl genpkey -algorithm ed25519 -out audit-key
chmod 644 gateway-key audit-key
