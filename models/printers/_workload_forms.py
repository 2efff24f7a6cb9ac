"""The data blocks of RMF Workload Activity, with holes for the numbers of contents.Work and for derived numbers.

G2 is z/OS V2R1 and V2R2 (nine rows, eight groups), G3 V2R3 and later (two stacked blocks). Fields that may
have a K or M are one column wider than their digits, for the suffix.
"""

G2_BLOCK = """\
-TRANSACTIONS-  TRANS-TIME HHH.MM.SS.TTT  --DASD I/O--  ---SERVICE---   SERVICE TIME  ---APPL %---  --PROMOTED--  ----STORAGE----
AVG    %(avg)7.2f  ACTUAL%(actual_s)18.3t  SSCHRT %(ssch_per_s)5.1f  IOC    %(ioc)7k  CPU %(cpu_s)8.3f  CP   %(appl_cp)7.2f  BLK %(blk_s)8.3f  AVG    %(frames_avg)8.2f
MPL    %(mpl)7.2f  EXECUTION%(execution_s)15.3t  RESP   %(response_ms)5.1f  CPU    %(cpu)7k  SRB %(srb_s)8.3f  AAPCP %(appl_aapcp)6.2f  ENQ %(enq_s)8.3f  TOTAL  %(frames)8.2f
ENDED%(ended)9d  QUEUED%(queued_s)18.3t  CONN   %(connect_ms)5.1f  MSO    %(mso)7k  RCT %(rct_s)8.3f  IIPCP %(appl_iipcp)6.2f  CRM %(crm_s)8.3f  SHARED %(shared_frames)8.2f
END/S  %(ended_per_s)7.2f  R/S AFFIN%(affinity_s)15.3t  DISC   %(disconnect_ms)5.1f  SRB    %(srb)7k  IIT %(iit_s)8.3f                LCK %(lck_s)8.3f
#SWAPS%(swaps)8d  INELIGIBLE%(ineligible_s)14.3t  Q+PEND %(qpend_ms)5.1f  TOT    %(total_service)7k  HST %(hst_s)8.3f  AAP  %(appl_aap)7.2f  SUP %(sup_s)8.3f  -PAGE-IN RATES-
EXCTD%(executed)9d  CONVERSION%(conversion_s)14.3t  IOSQ   %(iosq_ms)5.1f  /SEC   %(service_per_s)7k  AAP %(aap_s)8.3f  IIP  %(appl_iip)7.2f                SINGLE   %(page_in_single_per_s)5.1f
AVG ENC %(enclaves)6.2f  STD DEV%(deviation_s)17.3t                                IIP %(iip_s)8.3f                              BLOCK    %(page_in_block_per_s)5.1f
REM ENC %(remote_enclaves)6.2f                                          ABSRPTN  %(absorption)5k                                            SHARED   %(page_in_shared_per_s)5.1f
MS ENC  %(multisystem_enclaves)6.2f                                          TRX SERV %(service_rate)5k                                            HSP      %(page_in_hsp_per_s)5.1f"""

G3_BLOCK = """\
-TRANSACTIONS--  TRANS-TIME HHH.MM.SS.FFFFFF  TRANS-APPL%-----CP-IIPCP/AAPCP-IIP/AAP  ---ENCLAVES---
AVG     %(avg)7.2f  ACTUAL%(actual_s)21.6t  TOTAL       %(total_cp)6.2f      %(total_on_cp)6.2f  %(total_ziip)6.2f  AVG ENC %(enclaves)6.2f
MPL     %(mpl)7.2f  EXECUTION%(execution_s)18.6t  MOBILE      %(no_category)6.2f      %(no_category)6.2f  %(no_category)6.2f  REM ENC %(remote_enclaves)6.2f
ENDED%(ended)10d  QUEUED%(queued_s)21.6t  CATEGORYA   %(no_category)6.2f      %(no_category)6.2f  %(no_category)6.2f  MS ENC  %(multisystem_enclaves)6.2f
END/S   %(ended_per_s)7.2f  R/S AFFIN%(affinity_s)18.6t  CATEGORYB   %(no_category)6.2f      %(no_category)6.2f  %(no_category)6.2f
#SWAPS%(swaps)9d  INELIGIBLE%(ineligible_s)17.6t
EXCTD%(executed)10d  CONVERSION%(conversion_s)17.6t
                 STD DEV%(deviation_s)20.6t"""

G3_SERVICE_BLOCK = """\
----SERVICE----   SERVICE TIME  ---APPL %---  --PROMOTED--  --DASD I/O---  ----STORAGE----  -PAGE-IN RATES-
IOC      %(ioc)7k  CPU %(cpu_s)8.3f  CP   %(appl_cp)7.2f  BLK %(blk_s)8.3f  SSCHRT  %(ssch_per_s)5.1f  AVG    %(frames_avg)8.2f  SINGLE   %(page_in_single_per_s)6.1f
CPU      %(cpu)7k  SRB %(srb_s)8.3f  IIPCP %(appl_iipcp)6.2f  ENQ %(enq_s)8.3f  RESP    %(response_ms)5.1f  TOTAL  %(frames)8.2f  BLOCK    %(page_in_block_per_s)6.1f
MSO      %(mso)7k  RCT %(rct_s)8.3f  IIP  %(appl_iip)7.2f  CRM %(crm_s)8.3f  CONN    %(connect_ms)5.1f  SHARED %(shared_frames)8.2f  SHARED   %(page_in_shared_per_s)6.1f
SRB      %(srb)7k  IIT %(iit_s)8.3f  AAPCP %(appl_aapcp)6.2f  LCK %(lck_s)8.3f  DISC    %(disconnect_ms)5.1f                   HSP      %(page_in_hsp_per_s)6.1f
TOT      %(total_service)7k  HST %(hst_s)8.3f  AAP  %(appl_aap)7.2f  SUP %(sup_s)8.3f  Q+PEND  %(qpend_ms)5.1f
/SEC     %(service_per_s)7k  IIP %(iip_s)8.3f                              IOSQ    %(iosq_ms)5.1f
ABSRPTN  %(absorption)7k  AAP %(aap_s)8.3f
TRX SERV %(service_rate)7k"""

G2_DISTRIBUTION_HEAD = (
    "   ----TIME----  ---# TRANSACTIONS---  ---% TRANSACTIONS---",
    "   HH.MM.SS.TTT  CUM TOTAL  IN BUCKET  CUM TOTAL  IN BUCKET",
)
G3_DISTRIBUTION_HEAD = (
    "   -----TIME------  ---# TRANSACTIONS---  ---% TRANSACTIONS---",
    "   HH.MM.SS.FFFFFF  CUM TOTAL  IN BUCKET  CUM TOTAL  IN BUCKET",
)
SCALE = (
    "  0    10   20   30   40   50   60   70   80   90   100",
    "  |....|....|....|....|....|....|....|....|....|....|",
)

POLICY = """\
{margin}- SERVICE POLICY PAGE -

SERVICE DEFINITION: %(definition)-48s  -SERVICE DEFINITION COEFFICIENTS-   -NORM FACTORS-
  INSTALL DATE: %(installed)-19s  INSTALLED BY: %(installed_by)-8s                IOC     CPU     SRB     MSO       AAP     IIP
  POLICY: %(policy)-8s  %(description)-40s
  {first}%(ioc)5.1f   %(cpu)5.1f   %(srb)5.1f  %(mso)6.4f    %(aap)6.4f  %(iip)6.4f
  {second}
  {third}"""
SYSTEM_HEAD = "---ID---  OPT  SU/SEC  CAP% --TIME--  INTERVAL"
