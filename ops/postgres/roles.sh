#!/bin/sh
# Creates roles and databases in a new PostgreSQL: one role for Temporal, one for the store, neither with access to the
# other's databases. Run by `npm run cluster` and, in docker-compose.yml, by PostgreSQL's image at its first start. Needs a
# role that may create roles, and the server in PG* variables. Passwords are read from files: every user of a machine can
# see arguments.
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
