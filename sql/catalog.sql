-- The catalogue against src/oplist.h and against the built-in aggregates of the
-- same names.  A statement that was forgotten, or that says something else,
-- shows as a row.
\set oplist `sed -n 's/^GPURED_AGGREGATE(\(.*\))$/\1/p' "$PG_ABS_SRCDIR/src/oplist.h"`
CREATE TEMP TABLE listed AS
  SELECT btrim(f[1]) AS name, btrim(f[2]) AS type, btrim(f[3]) AS result
    FROM regexp_split_to_table(:'oplist', '\n') line, string_to_array(line, ',') f;
SELECT count(*) > 100 AS list_was_read FROM listed;

CREATE TEMP TABLE expected AS
  SELECT name, CASE type WHEN 'any' THEN '"any"'
                 ELSE (SELECT string_agg(t::regtype::text, ', ') FROM regexp_split_to_table(type, ' ') t) END AS args, result::regtype::text AS result
    FROM listed WHERE name NOT LIKE 'prefix%'
  UNION ALL SELECT 'count', '', 'bigint'
  UNION ALL SELECT name, type::regtype::text, result::regtype || '[]' FROM listed WHERE name LIKE 'prefix%'
  UNION ALL SELECT name, type::regtype::text || ', boolean', result::regtype || '[]' FROM listed WHERE name LIKE 'prefix%';

CREATE TEMP TABLE catalogued AS
  SELECT replace(p.proname, 'gpu_', '') AS name, oidvectortypes(p.proargtypes) AS args, p.prorettype::regtype::text AS result,
         p.oid, p.proparallel, p.provolatile, a.*,
         obj_description(p.oid, 'pg_proc') AS comment
    FROM pg_aggregate a JOIN pg_proc p ON p.oid = a.aggfnoid
    JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
    JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
   WHERE e.extname = 'gpured';

-- listed, not in the catalogue; and the other way round
SELECT name, args, result FROM expected EXCEPT SELECT name, args, result FROM catalogued;
SELECT name, args, result FROM catalogued EXCEPT SELECT name, args, result FROM expected;

-- what every aggregate must have
SELECT name, args, what
  FROM catalogued, LATERAL (VALUES
    ('is parallel safe', proparallel = 's'),
    ('has a comment', comment IS NOT NULL),
    ('says how large its state is', aggtransspace > 0),
    ('says how large its moving state is', aggmtransspace > 0 OR aggmtransfn = 0),
    ('has a read-only final function', aggfinalmodify = 'r' AND aggmfinalmodify = 'r'),
    ('combines partial states, unless a prefix', (aggcombinefn <> 0) = (name NOT LIKE 'prefix%')),
    ('serializes an internal state that it combines',
     (aggserialfn <> 0 AND aggdeserialfn <> 0) = (aggtranstype = 'internal'::regtype AND aggcombinefn <> 0)),
    ('has an inverse unless an extreme, bits or a prefix',
     (aggmtransfn <> 0 AND aggminvtransfn <> 0) = (name !~ '^(min|max|bit_|prefix_)')),
    ('has a sort operator if an extreme',
     (aggsortop <> 0) = (name IN ('min', 'max', 'bool_and', 'bool_or', 'every')))) c(what, holds)
 WHERE NOT holds ORDER BY 1, 2, 3;

-- what the built-in of the same name and arguments has; there is no dot, no
-- extreme of bytea before PostgreSQL 18, and a state, and so a result, of type
-- anyenum is refused by CREATE AGGREGATE
SELECT c.name, c.args, what
  FROM catalogued c
  LEFT JOIN (SELECT p.proname, oidvectortypes(p.proargtypes) AS args, p.prorettype, p.proparallel, a.*
               FROM pg_aggregate a JOIN pg_proc p ON p.oid = a.aggfnoid
              WHERE p.pronamespace = 'pg_catalog'::regnamespace) b ON b.proname = c.name AND b.args = c.args,
  LATERAL (VALUES
    ('is built in', b.proname IS NOT NULL),
    ('has its result type', b.prorettype = CASE c.args WHEN 'anyenum' THEN 'anyenum' ELSE c.result::regtype END),
    ('has its sort operator', b.aggsortop = c.aggsortop),
    ('combines if it does', b.aggcombinefn = 0 OR c.aggcombinefn <> 0),
    ('has an inverse if it has one', b.aggminvtransfn = 0 OR c.aggminvtransfn <> 0)) h(what, holds)
 WHERE c.name !~ '^(prefix_|dot$)' AND holds IS NOT TRUE
   AND NOT (c.args = 'bytea' AND current_setting('server_version_num')::int < 180000) ORDER BY 1, 2, 3;

-- an extreme's sort operator is its type's, whether built in or not
SELECT c.name, c.args, c.aggsortop::regoperator
  FROM catalogued c JOIN pg_type t ON t.oid::regtype::text = c.args
 WHERE c.name IN ('min', 'max') AND NOT EXISTS (
   SELECT FROM pg_opclass o JOIN pg_amop a ON a.amopfamily = o.opcfamily
    WHERE o.opcdefault AND o.opcmethod = (SELECT oid FROM pg_am WHERE amname = 'btree')
      AND o.opcintype = t.oid AND a.amoplefttype = t.oid AND a.amoprighttype = t.oid
      AND a.amopopr = c.aggsortop AND a.amopstrategy = CASE c.name WHEN 'min' THEN 1 ELSE 5 END);

-- what is built in under the same names and is missing here; a state of type
-- record is refused by CREATE AGGREGATE
SELECT p.proname, oidvectortypes(p.proargtypes)
  FROM pg_proc p
 WHERE p.prokind = 'a' AND p.pronamespace = 'pg_catalog'::regnamespace AND p.proname IN (SELECT name FROM catalogued)
   AND oidvectortypes(p.proargtypes) <> 'record'
   AND NOT EXISTS (SELECT FROM catalogued c WHERE c.name = p.proname AND c.args = oidvectortypes(p.proargtypes))
 ORDER BY 1, 2;

-- the functions that aggregates use, by role
CREATE TEMP TABLE used AS
  SELECT c.name, c.args, role, p.*, CASE WHEN role ~ '^moving' THEN aggmtranstype ELSE aggtranstype END = 'internal'::regtype AS internal_state
    FROM catalogued c, LATERAL (VALUES
      ('transition', aggtransfn), ('combine', aggcombinefn), ('serialize', aggserialfn), ('deserialize', aggdeserialfn),
      ('final', aggfinalfn), ('moving transition', aggmtransfn), ('moving inverse', aggminvtransfn), ('moving final', aggmfinalfn)) f(role, fn)
    JOIN pg_proc p ON p.oid = f.fn;

-- ours are strict where the state is a value, and where states are serialized
SELECT name, args, role, oid::regprocedure, proisstrict
  FROM used WHERE proname LIKE 'gpured%' AND proisstrict <> (role ~ 'serialize' OR NOT internal_state);

-- PostgreSQL's own serve in the role that they have in the built-in; that has no moving count of pairs
SELECT c.name, c.args, c.role, c.oid::regprocedure
  FROM used c
 WHERE c.pronamespace = 'pg_catalog'::regnamespace AND c.oid <> 'int8inc_float8_float8'::regproc AND NOT EXISTS (
   SELECT FROM pg_aggregate b JOIN pg_proc p ON p.oid = b.aggfnoid
    WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname = c.name AND oidvectortypes(p.proargtypes) = c.args
      AND c.oid = CASE c.role WHEN 'transition' THEN aggtransfn WHEN 'combine' THEN aggcombinefn WHEN 'serialize' THEN aggserialfn
                    WHEN 'deserialize' THEN aggdeserialfn WHEN 'final' THEN aggfinalfn WHEN 'moving transition' THEN aggmtransfn
                    WHEN 'moving inverse' THEN aggminvtransfn ELSE aggmfinalfn END);

-- a state that is a value is folded as a value is, and names say what functions do
SELECT t.name, t.args, t.proname, c.proname
  FROM used t JOIN used c USING (name, args)
 WHERE t.role = 'transition' AND c.role = 'combine' AND NOT t.internal_state AND t.name !~ 'count$' AND t.prosrc <> c.prosrc;
SELECT name, args, role, proname
  FROM used
 WHERE role = 'transition' AND name ~ 'm(in|ax)$' AND proname !~ CASE WHEN name ~ 'min$' THEN 'min|smaller' ELSE 'max|larger' END
    OR role ~ 'final$' AND name !~ '^(prefix_|bool_|bit_|every$)'
       AND strpos(proname, CASE name WHEN 'variance' THEN 'var_samp' WHEN 'stddev' THEN 'stddev_samp' ELSE name END) = 0;

-- support functions: immutable and parallel safe, and none is left over
SELECT p.oid::regprocedure
  FROM pg_proc p
  JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
  JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
 WHERE e.extname = 'gpured' AND p.prokind = 'f' AND 'internal'::regtype = ANY (p.proargtypes || p.prorettype)
   AND (p.provolatile <> 'i' OR p.proparallel <> 's' OR p.oid NOT IN (SELECT oid FROM used));

-- what users call and see has a comment
SELECT classid::regclass, objid, pg_describe_object(classid, objid, 0)
  FROM pg_depend d JOIN pg_extension e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid
 WHERE e.extname = 'gpured' AND deptype = 'e' AND classid IN ('pg_proc'::regclass, 'pg_class'::regclass)
   AND obj_description(objid, classid::regclass::name) IS NULL
   AND NOT (classid = 'pg_proc'::regclass AND objid IN (SELECT oid FROM used));
