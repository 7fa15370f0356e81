#!/bin/sh
# Roles and databases of a fresh PostgreSQL: one of Temporal, one of the store, neither allowed into the other's. Run by
# `npm run cluster` and, in docker-compose.yml, by the image of PostgreSQL at its first start. Whoever runs it may make
# roles; PG* of the environment say where. Passwords come out of files: an argument is shown to every user of a machine.
set -eu
: "${SECRETS:=/run/secrets}"
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --dbname postgres <<SQL
\\set temporal_password \`cat "$SECRETS/temporal-password"\`
\\set store_password \`cat "$SECRETS/store-password"\`
SET log_statement = 'none';
SET log_min_error_statement = 'panic';
SELECT format('CREATE ROLE temporal LOGIN PASSWORD %L', :'temporal_password')
 WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'temporal') \\gexec
SELECT format('CREATE ROLE payouts LOGIN PASSWORD %L', :'store_password')
 WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'payouts') \\gexec
SELECT format('CREATE DATABASE %I OWNER %I', name, owner)
  FROM (VALUES ('temporal', 'temporal'), ('temporal_visibility', 'temporal'), ('payouts', 'payouts')) AS wanted (name, owner)
 WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = name) \\gexec
SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC', name)
  FROM (VALUES ('temporal'), ('temporal_visibility'), ('payouts')) AS wanted (name) \\gexec
SQL
