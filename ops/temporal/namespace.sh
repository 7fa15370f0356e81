#!/bin/sh
# Creates the namespace and the search attributes of the product if they are missing. Needs the temporal command on PATH,
# TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE.
set -eu
: "${RETENTION:=90d}"
patiently() {
  tries=0
  until "$@" >/dev/null 2>&1; do
    tries=$((tries + 1))
    if [ "$tries" -ge 60 ]; then "$@"; fi
    sleep 1
  done
}
patiently temporal operator cluster health
temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$RETENTION"

# The server sees a new namespace only after a delay.
patiently temporal operator search-attribute list
known="$(temporal operator search-attribute list)"
while read -r name type; do
  printf '%s\n' "$known" | grep -qw "$name" ||
    temporal operator search-attribute create --name "$name" --type "$type"
done <<'ATTRIBUTES'
PayoutBatchId Keyword
PayoutState Keyword
PayoutCurrency Keyword
PayoutOrderId Keyword
PayoutReference Keyword
PayoutDocument Keyword
PayoutUid Keyword
PayoutNeedsAttention Bool
ATTRIBUTES

# The server lists an attribute some seconds before it takes a workflow that has it.
patiently temporal workflow count --query 'PayoutNeedsAttention IS NULL'
