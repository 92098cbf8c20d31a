/* gpured--0.1.0.sql */

\echo Use "CREATE EXTENSION gpured" to load this file. \quit

CREATE FUNCTION gpured_version() RETURNS text
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gpured_version() IS 'version of the loaded gpured library';
