#!/bin/sh
# Creates the policy of docker-compose.yml, a key for each of its two people, and a token of the gateway for alice; existing files
# are kept: sh ops/trial-policy.sh [FOLDER], after ops/secrets.sh. For a trial with the sandbox: no payout needs an approval or,
# handed over by the token, a signature, and anyone who can read the folder is both people. For real money write your own (docs/security.md).
set -eu
cd "${1:-secrets}"
umask 022
for key in alice-key bob-key; do
  [ -e "$key" ] || openssl genpkey -algorithm ed25519 -out "$key"
  chmod 644 "$key"
done
[ -e gateway-token ] || openssl rand -hex 24 | tr -d '\n' >gateway-token
# As `payouts policy key` and `payouts policy token` print them.
public() { openssl pkey -in "$1" -pubout -outform DER | tail -c 32 | openssl base64; }
sha256() { openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1; }
[ -e policy.json ] || cat >policy.json <<POLICY
{
  "version": 1,
  "origin": "https://gateway:8090",
  "people": [
    { "name": "alice", "roles": ["maker"], "scope": {}, "keys": ["$(public alice-key)"], "unsigned": true,
      "tokens": [{ "sha256": "$(sha256 gateway-token)", "expires": "$(($(date -u +%Y) + 1))-12-31" }] },
    { "name": "bob", "roles": ["approver", "compliance", "operator", "auditor"], "scope": {}, "keys": ["$(public bob-key)"] }
  ],
  "approvals": []
}
POLICY
