#!/bin/sh
# Brings the two databases of Temporal to the schema of its server's version; does nothing where they have it. Needs
# temporal-sql-tool of that version on PATH (it carries the schema), SQL_HOST, SQL_PORT and SECRETS, a folder.
set -eu
: "${SECRETS:=/run/secrets}"
SQL_PASSWORD="$(cat "$SECRETS/temporal-password")"
export SQL_PLUGIN=postgres12 SQL_USER=temporal SQL_PASSWORD
for schema in temporal visibility; do
  case $schema in temporal) SQL_DATABASE=temporal ;; *) SQL_DATABASE=temporal_visibility ;; esac
  export SQL_DATABASE
  temporal-sql-tool update-schema --schema-name "postgresql/v12/$schema" || {
    temporal-sql-tool setup-schema --version 0.0
    temporal-sql-tool update-schema --schema-name "postgresql/v12/$schema"
  }
done
