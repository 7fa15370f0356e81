#!/bin/sh
# Creates or upgrades the schema of Temporal's two databases; does nothing if they are current. Needs the temporal-sql-tool
# of the server's version on PATH (it contains the schema), SQL_HOST, SQL_PORT and SECRETS, the folder of the passwords; of another
# machine SQL_TLS=true too, and SQL_TLS_CA_FILE for your own CA.
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
