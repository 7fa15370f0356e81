#!/bin/sh
# Creates roles and databases in a new PostgreSQL: one role for Temporal, three for the store, without access to each other's
# databases. payouts_owner makes the tables and is used by `payouts migrate` only, which lets payouts_writer (workers,
# gateways) add and change rows, never entries of the audit log, and payouts_reader read. Run by `npm run cluster` and, in
# docker-compose.yml, by PostgreSQL's image at its first start. Needs a role that may create roles, and the server in PG*
# variables. Passwords are read from files: every user of a machine can see arguments.
set -eu
: "${SECRETS:=/run/secrets}"
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --dbname postgres <<SQL
\\set temporal_password \`cat "$SECRETS/temporal-password"\`
\\set owner_password \`cat "$SECRETS/store-owner-password"\`
\\set writer_password \`cat "$SECRETS/store-password"\`
\\set reader_password \`cat "$SECRETS/store-reader-password"\`
SET log_statement = 'none';
SET log_min_error_statement = 'panic';
SELECT format('CREATE ROLE %I LOGIN PASSWORD %L', name, password)
  FROM (VALUES ('temporal', :'temporal_password'), ('payouts_owner', :'owner_password'),
               ('payouts_writer', :'writer_password'), ('payouts_reader', :'reader_password')) AS wanted (name, password)
 WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \\gexec
SELECT format('CREATE DATABASE %I OWNER %I', name, owner)
  FROM (VALUES ('temporal', 'temporal'), ('temporal_visibility', 'temporal'), ('payouts', 'payouts_owner')) AS wanted (name, owner)
 WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = name) \\gexec
SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC', name)
  FROM (VALUES ('temporal'), ('temporal_visibility'), ('payouts')) AS wanted (name) \\gexec
\\connect payouts
-- PostgreSQL before 15 lets everybody make tables, and only a superuser change that.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT CREATE ON SCHEMA public TO payouts_owner;
SQL
